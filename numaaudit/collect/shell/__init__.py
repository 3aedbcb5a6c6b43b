"""The collector as a POSIX sh script, for hosts without Python: its fixed parts (``*.sh``) and what writes the rest (script.py)."""
