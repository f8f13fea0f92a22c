"""Backends: adapters between the runner's protocol and models."""
