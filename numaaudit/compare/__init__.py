"""Two or three pieces of evidence of one host side by side, and a host beside its hardware class."""
