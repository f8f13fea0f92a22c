"""Builds, checks and reads frozen manifests; pure functions over bytes and records."""
