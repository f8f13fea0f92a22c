"""Frozen records and the laws that they obey; no I/O, no clock, no randomness."""
