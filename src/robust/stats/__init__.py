"""Distances and metrics as pure functions of numbers."""
