"""The host as the evidence shows it: records joined into sections."""
