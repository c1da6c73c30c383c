"""SQL as a person reads it, and what cannot be written in it."""

import math

import numpy as np
import pytest

from imli import CNF, DNF, DecisionList, DecisionSet, parse_rule
from imli.exports.dialects import DIALECTS
from imli.rules.literals import Compare, CompareDate, IsIn, IsMissing, IsTrue

FORMULA = """
    IF 33 < age <= 50 AND smoker AND city is Bath, Rome or York
    OR `dose (mg)` > 0.1 AND not smoker
    OR signed >= 2021-01-01 AND seen <= 2020-02-29 12:30
    OR age is missing
    THEN risk is high ELSE risk is low
"""

GOLDEN = {
    "duckdb": """
CASE
  WHEN ("age" > 33 AND "age" <= 50 AND "smoker" = 1 AND "city" IN ('Bath', 'Rome', 'York'))
    OR ("dose (mg)" > 0.1e0 AND "dose (mg)" <> 'NaN'::DOUBLE AND CAST("smoker" AS DOUBLE) NOT IN (1, 'NaN'::DOUBLE))
    OR ("signed" >= DATE '2021-01-01' AND "seen" <= TIMESTAMP '2020-02-29 12:30')
    OR ("age" IS NULL OR "age" = 'NaN'::DOUBLE)
  THEN 'high'
  ELSE 'low'
END""",
    "sqlite": """
CASE
  WHEN (`age` > 33 AND `age` <= 50 AND `smoker` = 1 AND `city` COLLATE BINARY IN ('Bath', 'Rome', 'York'))
    OR (`dose (mg)` > 0.1 AND `smoker` <> 1)
    OR (`signed` >= '2021-01-01' AND replace(`seen`, 'T', ' ') <= '2020-02-29 12:30:00.000000')
    OR `age` IS NULL
  THEN 'high'
  ELSE 'low'
END""",
    "postgres": """
CASE
  WHEN ("age" > 33 AND "age" <= 50 AND to_jsonb("smoker") IN ('true', '1') AND "city" IN ('Bath', 'Rome', 'York'))
    OR ("dose (mg)" > 0.1::float8 AND "dose (mg)" <> 'NaN'::float8 AND to_jsonb("smoker") NOT IN ('true', '1', '"NaN"'))
    OR ("signed" >= DATE '2021-01-01' AND "seen" <= TIMESTAMP '2020-02-29 12:30')
    OR ("age" IS NULL OR "age" = 'NaN'::float8)
  THEN 'high'
  ELSE 'low'
END""",
}


@pytest.mark.parametrize("dialect", GOLDEN)
def test_a_formula_reads_like_this(dialect):
    assert "\n" + parse_rule(FORMULA).to_sql(dialect) == GOLDEN[dialect]


def test_a_cnf_reads_like_this():
    rule = parse_rule("IF (age <= 60 OR smoker) AND (city is not Bath or missing) THEN 1 ELSE 0")
    assert (
        "\n" + rule.to_sql()
        == """
CASE
  WHEN ("age" <= 60 OR "smoker" = 1)
   AND ("city" <> 'Bath' OR "city" IS NULL)
  THEN 1
  ELSE 0
END"""
    )


def test_a_list_reads_like_this():
    rule = parse_rule("IF age <= 17 AND smoker THEN high ELSE IF age <= 17 THEN medium ELSE low")
    assert (
        "\n" + rule.to_sql()
        == """
CASE
  WHEN "age" <= 17 AND "smoker" = 1 THEN 'high'
  WHEN "age" <= 17 THEN 'medium'
  ELSE 'low'
END"""
    )


def test_a_set_counts_the_clauses_that_hold():
    rule = parse_rule("IF age <= 17 THEN high\nIF label is fit THEN low\nOTHERWISE low", "set")
    assert (
        "\n" + rule.to_sql()
        == """
COALESCE(
  (SELECT label_
   FROM (
     SELECT 1 AS clause, 'high' AS label_ WHERE "age" <= 17
     UNION ALL SELECT 2, 'low' WHERE "label" = 'fit'
   ) AS holding
   GROUP BY label_
   ORDER BY COUNT(*) DESC, MIN(clause)
   LIMIT 1),
  'low'
)"""
    )


def test_a_set_that_speaks_for_one_class_is_as_simple_as_a_list():
    rule = parse_rule("IF age <= 17 THEN high\nIF fit THEN high\nOTHERWISE low", "set")
    assert (
        "\n" + rule.to_sql()
        == """
CASE
  WHEN "age" <= 17 THEN 'high'
  WHEN "fit" = 1 THEN 'high'
  ELSE 'low'
END"""
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_constants(dialect, start):
    empty = ((),)
    expected = {CNF(): 2.0, DNF(): 1.0, CNF(empty): 1.0, DNF(empty): 2.0}
    rules = [type(rule)(rule.slots, (1, 2.0)) for rule in expected]
    rules += [DecisionList((), 7), DecisionSet((), 7), DecisionList((((), 3),), 7), DecisionSet((((), 3), ((), 4)), 7)]
    answers = start(dialect).decide([("x", "INTEGER", [None])], [rule.to_sql(dialect) for rule in rules])
    assert answers == [[value] for value in (*expected.values(), 7, 7, 3, 3)]


def test_without_nan_the_expression_is_shorter():
    rule = parse_rule("age > 60 AND not smoker OR age <= 20 or missing OR city is missing OR dose is not 3")
    assert (
        "\n" + rule.to_sql("postgres", nan_is_missing=False)
        == """
CASE
  WHEN ("age" > 60 AND to_jsonb("smoker") NOT IN ('true', '1'))
    OR ("age" <= 20 OR "age" IS NULL)
    OR "city" IS NULL
    OR "dose" <> 3
  THEN TRUE
  ELSE FALSE
END"""
    )


def test_large_numbers():
    rule = DNF(((IsIn("x", (1, 2**53 + 1, 2.0**60, 0.5), True),), (Compare("x", ">", 20000001),)))
    written = {dialect: rule.to_sql(dialect, nan_is_missing=False).splitlines()[1:3] for dialect in DIALECTS}
    assert written == {
        "duckdb": [
            '  WHEN ("x" NOT IN (1, 0.5e0)'
            ' AND CASE WHEN typeof("x") = \'FLOAT\' THEN CAST("x" AS DOUBLE) <> 9007199254740993'
            ' ELSE "x" <> 9007199254740993 END AND "x" <> 1.152921504606847e+18)',
            '    OR "x" > 20000001e0',
        ],
        "sqlite": [
            "  WHEN (`x` NOT IN (1, 0.5)"
            " AND `x` <> CASE typeof(`x`) WHEN 'real' THEN 9007199254740992.0 ELSE 9007199254740993 END"
            " AND CAST(`x` AS REAL) <> 1.152921504606847e+18)",
            "    OR `x` > 20000001",
        ],
        "postgres": [
            '  WHEN ("x" NOT IN (1, 0.5::float8) AND "x" <> 9007199254740993 AND "x" <> 1.152921504606847e+18::float8)',
            '    OR "x" > 20000001',
        ],
    }


def test_numbers_are_exact_to_the_last_bit(engine):
    numbers = [0.1, 1 / 3, 1e23, 1.7976931348623157e308, 123456789.123456789, 1e-290, 2.0**-970, 2.0**-1022, 5e-324]
    # some of these SQLite reads inexactly, as documented
    numbers = [number for number in numbers if engine.dialect != "sqlite" or number > 1e-291]
    rng = np.random.default_rng(0)
    numbers += (rng.normal(size=50) * 10.0 ** rng.integers(-280, 280, 50)).tolist()
    numbers += np.round(rng.normal(size=50), 4).tolist()
    cells = [cell for n in numbers for cell in (math.nextafter(n, -math.inf), n, math.nextafter(n, math.inf))]
    kind = {"duckdb": "DOUBLE", "sqlite": "REAL", "postgres": "double precision"}[engine.dialect]
    rules = [DNF(((Compare("x", "<", number),),)) for number in numbers]
    answers = engine.decide([("x", kind, cells)], [rule.to_sql(engine.dialect) for rule in rules])
    assert answers == [[cell < number for cell in cells] for number in numbers]


def test_quotes_and_line_breaks():
    rule = DNF(((IsIn('it\'s "q" `t`', ("o'clock", "a\r\nb\\")),),))
    written = [rule.to_sql(dialect).splitlines()[1] for dialect in DIALECTS]
    assert written == [
        "  WHEN \"it's \"\"q\"\" `t`\" IN ('o''clock', E'a\\r\\nb\\\\')",
        "  WHEN `it's \"q\" ``t``` COLLATE BINARY IN ('o''clock', ('a' || char(13) || '' || char(10) || 'b\\'))",
        "  WHEN \"it's \"\"q\"\" `t`\" IN ('o''clock', E'a\\r\\nb\\\\')",
    ]
    assert "'back\\slash'" in DNF(((IsIn("x", ("back\\slash",)),),)).to_sql("duckdb")
    assert "E'back\\\\slash'" in DNF(((IsIn("x", ("back\\slash",)),),)).to_sql("postgres")


def test_sqlite_does_not_take_an_unknown_column_for_text(start):
    with pytest.raises(Exception, match="no such column: incme"):
        start("sqlite").decide([("income", "REAL", [1.0])], [parse_rule("incme > 40").to_sql("sqlite")])


def on(*columns):
    return DNF(tuple((IsTrue(column),) for column in columns))


LONG = "é" * 32
SENTENCES = [
    (on("a"), "mysql", "dialect must be 'duckdb', 'sqlite' or 'postgres'. Got 'mysql'."),
    (on("a\0b"), "sqlite", "The column 'a\\x00b' has a NUL sign, which cannot be written in SQL. Replace it."),
    (on("\ud800"), "duckdb", "The column '\\ud800' has half a surrogate pair, which is no text in SQL. Replace it."),
    (on(""), "duckdb", "DuckDB has no columns with an empty name. Rename the column."),
    (on(""), "postgres", "PostgreSQL has no columns with an empty name. Rename the column."),
    (on(LONG), "postgres", f"PostgreSQL cuts names after 63 bytes, and '{LONG}' has 64. Rename the column."),
    (on("xmin"), "postgres", "PostgreSQL keeps the name 'xmin' for itself. Rename the column."),
    (on("Age", "age"), "duckdb", "DuckDB does not tell the columns 'Age' and 'age' apart. Rename one of them."),
    (on("Age", "age"), "sqlite", "SQLite does not tell the columns 'Age' and 'age' apart. Rename one of them."),
    (
        DNF(((IsIn("city", ("a\0b",)),),)), "postgres",
        "The value 'a\\x00b' has a NUL sign, which cannot be written in SQL. Replace it.",
    ),
    (
        DNF((), ("no", True)), "duckdb",
        "The classes 'no' and True are of different types, but an SQL column has one type. "
        "Make all of them text, all numbers or all truth values.",
    ),
    (DNF((), (0, 2**63)), "duckdb", "SQL cannot hold the class 9223372036854775808 in 64 bits. Rename it."),
    (
        DNF((), (0.5, 2**53 + 1)), "sqlite",
        "SQL cannot hold the class 9007199254740993 in double precision, like the other classes. Rename it.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "dialect", "sentence"), SENTENCES)
def test_what_cannot_be_written(rule, dialect, sentence):
    with pytest.raises(ValueError) as error:
        rule.to_sql(dialect)
    assert str(error.value) == sentence


def test_names_that_differ_in_case_are_two_columns_in_postgres(engine):
    if engine.dialect == "postgres":
        columns = [("Age", "integer", [1, 0, 1]), ("age", "integer", [0, 1, 1])]
        assert engine.decide(columns, [CNF(((IsTrue("Age"),), (IsTrue("age"),))).to_sql("postgres")]) == [
            [False, False, True]
        ]
    # É and é are two everywhere
    columns = [("É", "integer", [1, 0, 1]), ("é", "integer", [0, 1, 1])]
    rule = CNF(((IsTrue("É"),), (IsTrue("é"),)))
    assert engine.decide(columns, [rule.to_sql(engine.dialect)]) == [[False, False, True]]


def test_enumerations(engine):
    if engine.dialect == "sqlite":
        return  # it has none
    run = engine.run
    run.execute("CREATE TYPE city AS ENUM ('Bath', 'York')")
    rule = parse_rule("IF city is Bath THEN a ELSE IF city is missing THEN b ELSE c")
    answers = engine.decide([("city", "city", ["Bath", "York", None])], [rule.to_sql(engine.dialect)])
    run.execute("DROP TABLE rows_to_decide")
    run.execute("DROP TYPE city")
    assert answers == [["a", "c", "b"]]


def test_time_zones_are_those_of_the_session(engine):
    if engine.dialect == "sqlite":
        return  # it has none
    engine.run.execute("SET TimeZone = 'UTC'")
    rule = DNF(((CompareDate("at", ">=", "2021-01-01"),), (IsMissing("at"),)))
    cells = ["2021-01-01 00:30+01", "2020-12-31 23:30-01", None]
    assert engine.decide([("at", "timestamptz", cells)], [rule.to_sql(engine.dialect)]) == [[False, True, True]]
