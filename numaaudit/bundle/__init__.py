"""Bundles: a small copy of a host's root, read and written. Python 3.8, standard library only."""
