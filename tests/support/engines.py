"""The SQL engines that exported rules are run in: real ones, given columns of their types and expressions."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from support.programs import find_postgres

from imli.exports.dialects import DIALECTS

# By kind of column, the types that an engine has for it.
TYPES = {
    "duckdb": {
        "double": ["DOUBLE"],
        "single": ["FLOAT"],
        "large": ["BIGINT"],
        "small": ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL(18, 2)", "FLOAT", "DOUBLE"],
        "decimal": ["DECIMAL(18, 3)", "DECIMAL(30, 5)"],
        "flag": ["BOOLEAN"],
        "text": ["VARCHAR"],
        "day": ["DATE", "TIMESTAMP"],
        "time": ["TIMESTAMP"],
    },
    "sqlite": {
        "double": ["REAL"],
        "single": ["REAL"],
        "large": ["INTEGER"],
        "small": ["INTEGER", "REAL", "NUMERIC", ""],
        "decimal": ["NUMERIC", "REAL", "DECIMAL(18, 3)"],
        "flag": ["BOOLEAN", "INTEGER"],
        "text": ["TEXT", "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM"],
        "day": ["TEXT", "DATETIME"],
        "time": ["TEXT", "TIMESTAMP"],
    },
    "postgres": {
        "double": ["double precision"],
        "single": ["real"],
        "large": ["bigint"],
        "small": ["smallint", "integer", "bigint", "numeric", "numeric(9, 2)", "real", "double precision"],
        "decimal": ["numeric", "numeric(18, 3)"],
        "flag": ["boolean"],
        "text": ["text", "varchar(40)"],
        "day": ["date", "timestamp"],
        "time": ["timestamp"],
    },
}  # fmt: skip


class Engine:
    """A session, as all drivers of Python give one."""

    def __init__(self, dialect, connection):
        self.dialect, self.run = dialect, connection.cursor()

    def placeholder(self, kind):
        """What stands for a value of this type."""
        return "?"

    def store(self, cell, row):
        """The cell of a row as the driver takes it."""
        return cell.item() if isinstance(cell, np.generic) else cell

    def decide(self, columns, expressions):
        """For each expression its value in each row; columns are (name, type, cells)."""
        quoted = [DIALECTS[self.dialect].name(name) for name, _, _ in columns]
        declared = [f"{name} {kind}" for name, (_, kind, _) in zip(quoted, columns, strict=True)]
        run = self.run
        run.execute("DROP TABLE IF EXISTS rows_to_decide")
        run.execute(f"CREATE TABLE rows_to_decide (row_number INTEGER, {', '.join(declared)})")
        rows = zip(*(cells for _, _, cells in columns), strict=True)
        stored = [(number, *(self.store(cell, number) for cell in row)) for number, row in enumerate(rows)]
        places = [self.placeholder(kind) for kind in ("INTEGER", *(kind for _, kind, _ in columns))]
        run.executemany(f"INSERT INTO rows_to_decide VALUES ({', '.join(places)})", stored)
        selected = ", ".join(f"{expression} AS decision_{n}" for n, expression in enumerate(expressions))
        decisions = ", ".join(f"decision_{n}" for n in range(len(expressions)))
        decided = f"SELECT *, {selected} FROM rows_to_decide"
        run.execute(f"SELECT {decisions} FROM ({decided}) AS decided ORDER BY row_number")
        return [list(answers) for answers in zip(*run.fetchall(), strict=True)]


class PostgresEngine(Engine):
    def placeholder(self, kind):
        return f"CAST(%s AS {kind})"


class SQLiteEngine(Engine):
    def store(self, cell, row):
        if isinstance(cell, date):
            return cell.isoformat() if row % 2 else cell.isoformat().replace("T", " ")  # both are in use
        return float(cell) if isinstance(cell, Decimal) else super().store(cell, row)


@contextmanager
def sqlite_engine():
    connection = sqlite3.connect(":memory:")
    yield SQLiteEngine("sqlite", connection)
    connection.close()


@contextmanager
def duckdb_engine():
    import duckdb

    with duckdb.connect() as connection:
        yield Engine("duckdb", connection)


# Ends the server when the standard input ends: with the tests, even if they are killed.
_SERVE = '"$0" -D "$1" -k "$2" -c listen_addresses= -c fsync=off & read end; kill -QUIT $!; wait'


@contextmanager
def postgres_engine():
    """A server of its own in a temporary folder, reached by a socket there."""
    programs = find_postgres()
    import psycopg

    # the server refuses to run as root, and cannot enter the folders that pytest makes for root
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="imli-") as folder, Path(folder, "log").open("w+") as log:
        if user:
            shutil.chown(folder, "postgres", "postgres")
        options = {"cwd": folder, "stdout": log, "stderr": log, **user}
        data = Path(folder, "data")
        settings = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]
        initialize = [programs / "initdb", "-D", data, *settings]
        subprocess.run(initialize, stdin=subprocess.DEVNULL, check=True, timeout=120, **options)
        serve = ["sh", "-c", _SERVE, programs / "postgres", data, folder]
        with subprocess.Popen(serve, stdin=subprocess.PIPE, start_new_session=True, **options):  # its end closes stdin
            login = {"host": folder, "user": "postgres", "dbname": "postgres"}
            for _ in range(600):
                try:
                    # tables change their types here, which statements that psycopg prepares unasked would not bear
                    connection = psycopg.connect(**login, autocommit=True, prepare_threshold=None)
                    break
                except psycopg.OperationalError:
                    sleep(0.1)
            else:
                pytest.fail(f"PostgreSQL does not start. {Path(folder, 'log').read_text()}")
            with connection:
                yield PostgresEngine("postgres", connection)
