"""Tables as typed columns: readers for frame libraries, samples, summaries, sources and dates."""
