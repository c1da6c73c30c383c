"""What backends that solve the MaxSAT encoding share: which queries they take."""

from imli.backends.backend import RefusedError
from imli.query import Query

# Past this the encoding would fill the memory before a solver sees it.
MAX_OCCURRENCES = 30_000_000


def check_encodable(query: Query, backend: str) -> None:
    """Refuse queries that have no encoding, or one too large to write."""
    if not query.is_formula:
        raise RefusedError.because(backend, "decision lists and sets in one query", "Use strategy='iterative'.")
    per_row = len(query.literals) + (query.constraints.min_rows or 0)
    occurrences = query.n_clauses * query.n_rows * per_row
    if occurrences > MAX_OCCURRENCES:
        size = f"{query.n_clauses} clauses over {len(query.literals):,} literals on {query.n_rows:,} rows at once"
        raise RefusedError.because(backend, size, "Use a mini-batch strategy, such as strategy='incremental'.")
