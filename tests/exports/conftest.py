from contextlib import ExitStack

import pytest
from support.engines import duckdb_engine, postgres_engine, sqlite_engine

ENGINES = {"duckdb": duckdb_engine, "sqlite": sqlite_engine, "postgres": postgres_engine}


@pytest.fixture(scope="session")
def start():
    """Starts engines by name, each once."""
    running = {}
    with ExitStack() as stack:

        def start(dialect):
            if dialect not in running:
                running[dialect] = stack.enter_context(ENGINES[dialect]())
            return running[dialect]

        yield start


# a server of its own takes its time
@pytest.fixture(params=["duckdb", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request, start):
    return start(request.param)
