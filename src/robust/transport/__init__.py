"""HTTP with deadlines, size limits, retries and redaction."""
