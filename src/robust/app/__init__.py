"""Wires the rooms into the public functions."""
