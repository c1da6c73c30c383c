"""imli."""
