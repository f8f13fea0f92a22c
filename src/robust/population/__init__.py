"""Population tests over rows: what a change of a column does to the outputs of a model."""
