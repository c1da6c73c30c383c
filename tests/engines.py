"""The SQL engines that exported rules are run in: real ones, given columns of their types and expressions."""

import os
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
from programs import find_postgres

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


@contextmanager
def postgres_engine():
    """A server of its own in a temporary folder, reached by a socket there, and ended with it."""
    programs = find_postgres()
    import psycopg

    # the server refuses to run as root, and cannot enter the folders that pytest makes for root
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="imli-") as folder:
        if user:
            import pwd

            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)

        def run(program, *arguments):
            command = [programs / program, "-D", Path(folder, "data"), *arguments]
            log = Path(folder, "log")
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False, timeout=120, **user)  # fmt: skip
            assert done.returncode == 0, done.stdout.decode() + (log.read_text() if log.exists() else "")

        run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-k '{folder}' -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", settings, "start")
        try:
            login = {"host": folder, "user": "postgres", "dbname": "postgres"}
            # tables change their types here, which statements that psycopg prepares unasked would not bear
            with psycopg.connect(**login, autocommit=True, prepare_threshold=None) as connection:
                yield PostgresEngine("postgres", connection)
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
