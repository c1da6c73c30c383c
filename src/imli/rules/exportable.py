"""What a rule can be turned into, for other programs and documents. The work is done in ``imli.exports``."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from imli.rules.rule import Rule


class Exportable:
    """The exports of a rule, imported when called."""

    def to_sql(self, dialect: str = "duckdb", *, nan_is_missing: bool = True) -> str:
        """The rule as an SQL expression that decides as ``predict`` does.

        ``SELECT *, <expression> AS decision FROM some_table`` decides each row of a table.

        Parameters
        ----------
        dialect
            "duckdb", "sqlite" or "postgres".
        nan_is_missing
            Whether NaN in a column is missing, as in tables. False makes a shorter expression for columns without NaN.

        Notes
        -----
        * NULL is missing. SQLite holds no NaN; where the others do, it counts as missing too.
        * Columns of numbers may be of any numeric type; in SQLite, make sure that they are not stored as text. DECIMAL
          columns are compared with whole numbers to their last digit, where ``predict`` makes them floats; and
          ``predict`` makes floats of integers too if some are missing. Both matter only past 15 digits. SQLite reads
          numbers below 1e-290 inexactly.
        * "is true" takes BOOLEAN columns, and numbers, of which 1 is true. DuckDB and PostgreSQL refuse to compare
          BOOLEAN columns with other numbers.
        * Text is compared sign by sign. In DuckDB and PostgreSQL that is up to the column: one with a collation that
          ignores case, citext or char(n) goes by its own rules, and PostgreSQL refuses values that an ENUM lacks.
        * Dates are DATE or TIMESTAMP columns, in SQLite ISO text such as 2024-12-31 23:59:30.5, without a time zone
          and with a space or a T in it. Columns with a time zone are compared in that of the session: set it to UTC.
        * All classes must be of one type: text, truth values (1 and 0 in SQLite) or numbers, of which all are written
          as floats if one is. A decision set is a subquery, which not every place takes.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age <= 25 AND smoker OR city is Bath or York or missing THEN high ELSE low")
        >>> print(rule.to_sql())
        CASE
          WHEN ("age" <= 25 AND "smoker" = 1)
            OR ("city" IN ('Bath', 'York') OR "city" IS NULL)
          THEN 'high'
          ELSE 'low'
        END
        """
        from imli.exports.sql import write

        return write(cast("Rule", self), dialect=dialect, nan_is_missing=nan_is_missing)

    def to_python(self, name: str = "decide") -> str:
        """The rule as the source of a Python function, which needs no imli and runs on Python 3.8 or newer.

        The function takes a row, a mapping from column names to plain values: numbers, truth values, text,
        ``datetime.date`` or ``datetime.datetime``, those with a time zone in UTC. None and NaN are missing, and a
        column that the row does not have is a ``KeyError``. A ``Decimal`` is compared exactly, where ``predict``
        makes it a float.

        Examples
        --------
        >>> from imli import parse_rule
        >>> source = parse_rule("IF age > 60 OR city is Bath THEN high ELSE low").to_python("risk")
        >>> exec(source)
        >>> risk({"age": 61, "city": None})
        'high'
        """
        from imli.exports.python import write

        return write(cast("Rule", self), name=name)

    def to_markdown(self, *, counts: bool = True) -> str:
        """The rule as a Markdown table for a document, with ``counts``, if it has any, of how each clause does.

        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 THEN risk is high ELSE risk is low")
        >>> print(rule.counted_on({"age": [70, 65, 40, 30]}, ["high", "low", "low", "low"]).to_markdown())
        | | Rule | Rows | Right | Only here |
        | :-- | :-- | --: | --: | --: |
        | IF | `age > 60` | 2 | 50 % | 1 |
        | THEN | **`risk is high`** | | | |
        | ELSE | **`risk is low`** | 2 | 100 % | |
        <BLANKLINE>
        1 clause, 1 condition, size 1, 75 % of 4 rows right
        """
        from imli.exports.markdown import write

        return write(cast("Rule", self), counts=counts)
