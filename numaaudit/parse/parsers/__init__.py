"""One file for each text format.

Expressions of texts that are rarely there are plain strings: re compiles them at first use, which keeps them out of start-up.
"""
