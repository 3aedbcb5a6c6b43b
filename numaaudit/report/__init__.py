"""Findings and the model as text, JSON and pages."""
