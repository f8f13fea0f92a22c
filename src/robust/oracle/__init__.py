"""Calls a validator on detached copies of base and candidate, and makes the validation record."""
