import os

# scikit-learn skips one of its checks unless this is set before SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")
