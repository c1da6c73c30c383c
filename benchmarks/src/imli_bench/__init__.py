"""Benchmarks of imli: the comparison with other learners, measurements of its parts, and the pages made from both.

What is measured and what is shown meet only in the result files.
"""
