"""A plug-in of numaaudit."""
