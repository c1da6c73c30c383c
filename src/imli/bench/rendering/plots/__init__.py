"""One module for each kind of plot. Each takes plain values and returns a figure."""
