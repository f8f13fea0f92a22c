"""From a base case to candidates: deterministic, and a candidate is never more than a candidate."""
