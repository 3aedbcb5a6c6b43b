"""Collection: freeze the evidence of a live host into a bundle. Read-only; Python 3.8, standard library only."""
