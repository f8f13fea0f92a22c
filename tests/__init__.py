"""The tests: laws, examples, exact bytes, and the public behaviour end to end."""
