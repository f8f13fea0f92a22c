"""Records and reports to text; no I/O."""
