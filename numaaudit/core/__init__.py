"""Small value types and decoders that every other layer shares. Python 3.8, standard library only."""
