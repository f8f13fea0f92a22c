"""(before, after) -> comparison and violations."""
