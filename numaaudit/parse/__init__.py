"""Texts to records: one pure parser per format."""
