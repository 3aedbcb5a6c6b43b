"""What is collected: one declaration per file, found by discovery."""
