"""The comparison that imli's claims rest on: problems, rivals, protocols, result files, and the page made from them.

``imli bench`` is its command. What is measured and what is shown meet only in the result files.
"""
