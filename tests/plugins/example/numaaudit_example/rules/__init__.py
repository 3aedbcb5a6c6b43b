"""Rules of this plug-in, one a file; nothing lists them."""
