"""Constraints on a rule, and how they are read from the user's words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from imli.errors import InfeasibleError, RuleSyntaxError, UnknownColumnError, brief
from imli.rules import Clause, Formula, Label, PairRule, PointRule, Rule
from imli.rules.literals import Literal
from imli.rules.parse import parse_literal

# A fixed clause; in lists and sets with the class that it predicts, in scores and checklists with its points.
Locked = tuple[Clause, Label | None]


@dataclass(frozen=True)
class Every:
    """Element of ``always``: the literal must occur in each clause of the rule, which has at least one.

    Parameters
    ----------
    literal
        The literal, or its text.

    Examples
    --------
    >>> from imli import DNFClassifier, Every
    >>> clf = DNFClassifier(always=[Every("age > 18")])
    """

    literal: Literal | str

    def __repr__(self) -> str:
        return f"Every({str(self.literal)!r})"


@dataclass(frozen=True)
class Constraints:
    """Hard constraints on a rule. A text is the name of a column; a literal is that literal alone."""

    never: tuple[str | Literal, ...] = ()
    always: tuple[str | Literal, ...] = ()
    every: tuple[Literal, ...] = ()
    disjoint: bool = False
    max_literals: int | None = None
    min_rows: int | None = None
    monotone: Mapping[str, int] = field(default_factory=dict)
    locked: tuple[Locked, ...] = ()  # the first clauses of the rule, in this order

    def forbids(self, literal: Literal, points: int = 1) -> str | None:
        """Return the constraint that forbids a literal, in an item with these points, as a user writes it, or None."""
        for named in self.never:
            if names(named, literal):
                return f"never={brief(str(named))}"
        direction = self.monotone.get(literal.column)
        if direction is not None and literal.direction not in (None, direction if points > 0 else -direction):
            return f"monotone={{{literal.column!r}: {direction}}}"
        return None

    def allows(self, rule: Rule, n_covered: Callable[[], list[int]]) -> bool:
        """Return True if the rule meets every constraint; ``n_covered`` returns the rows that each clause covers."""
        literals = rule.literals
        return (
            self._has_locked(rule)
            and all(self.forbids(literal, points) is None for literal, points in _with_points(rule))
            and all(any(names(named, literal) for literal in literals) for named in self.always)
            and all(rule.clauses and all(literal in clause for clause in rule.clauses) for literal in self.every)
            and not (self.disjoint and reuses(rule))
            and (self.max_literals is None or len(literals) <= self.max_literals)
            and (self.min_rows is None or all(count >= self.min_rows for count in n_covered()))
        )

    def _has_locked(self, rule: Rule) -> bool:
        n_locked = len(self.locked)
        wanted = [(frozenset(clause), label) for clause, label in self.locked]
        if isinstance(rule, PairRule | PointRule):
            parts = rule.pairs if isinstance(rule, PairRule) else rule.items
            return [(frozenset(clause), label) for clause, label in parts[:n_locked]] == wanted
        assert isinstance(rule, Formula)
        return [(None if clause is None else frozenset(clause), None) for clause in rule.slots[:n_locked]] == wanted

    def beside(self, others: Iterable[Clause]) -> "Constraints":
        """Return the constraints on one more clause beside the others, which include the locked ones."""
        literals = [literal for clause in others for literal in clause]
        used = sorted({literal.column for literal in literals})
        return replace(
            self,
            never=(*self.never, *used) if self.disjoint else self.never,
            always=tuple(word for word in self.always if not any(names(word, literal) for literal in literals)),
            max_literals=None if self.max_literals is None else self.max_literals - len(literals),
            locked=(),
        )

    def check_words(self, locked_texts: Iterable[str], points: Iterable[int] = (1,)) -> None:
        """Raise InfeasibleError if constraints contradict each other without a look at rows.

        ``points`` has the points, or only their signs, that an item may have.
        """
        signs = tuple(points)
        self._check_locked(locked_texts)
        for named in (*self.always, *self.every):
            kind = "Column" if isinstance(named, str) else "Literal"
            if named in self.never:
                raise InfeasibleError(f"{kind} {str(named)!r} is in both never and always. Remove it from one.")
            if not isinstance(named, Literal) or any(self.forbids(named, sign) is None for sign in signs):
                continue
            if (reason := self.forbids(named, signs[0])) is not None:
                raise InfeasibleError(
                    f"Literal {brief(str(named))} is in always, but {reason} forbids it. Remove one of the two."
                )

    def _check_locked(self, texts: Iterable[str]) -> None:
        users: dict[str, str] = {}  # the last locked clause that uses each column
        for (clause, label), text in zip(self.locked, texts, strict=True):
            points = label if type(label) is int else 1  # which a label of a list or set, with no monotone, may be
            for literal in clause:
                if (reason := self.forbids(literal, points)) is not None:
                    raise InfeasibleError(
                        f"The locked clause {brief(text)} has the literal {brief(str(literal))}, but {reason} "
                        "forbids it. "
                        "Remove one of the two."
                    )
            for literal in self.every:
                if literal not in clause:
                    raise InfeasibleError(
                        f"The locked clause {brief(text)} lacks {brief(str(literal))}, but "
                        f"always=Every({brief(str(literal))}) asks "
                        "for it in each clause. Add it, or remove one of the two."
                    )
            for column in dict.fromkeys(literal.column for literal in clause):
                if self.disjoint and column in users:
                    raise InfeasibleError(
                        f"The locked clauses {brief(users[column])} and {brief(text)} share the column "
                        f"{brief(column)}, but "
                        "disjoint=True forbids it. Remove one of the three."
                    )
                users[column] = text
        n_literals = sum(len(clause) for clause, _ in self.locked)
        if self.max_literals is not None and n_literals > self.max_literals:
            raise InfeasibleError(
                f"The locked clauses have {n_literals} literals, but max_literals={self.max_literals}. "
                "Raise it, or remove a locked clause."
            )


def names(named: str | Literal, literal: Literal) -> bool:
    """Return True if a column name or a literal refers to this literal."""
    return named == (literal.column if isinstance(named, str) else literal)


def _with_points(rule: Rule) -> Iterable[tuple[Literal, int]]:
    """Return each literal of a rule with the points of its item, which are 1 in other kinds of rules."""
    if isinstance(rule, PointRule):
        return [(literal, points) for clause, points in rule.items for literal in clause]
    return [(literal, 1) for literal in rule.literals]


def reuses(rule: Rule) -> int:
    """Return the number of repeated uses of columns: the sum over columns of (clauses using it − 1)."""
    used = [literal for clause in rule.clauses for literal in {literal.column for literal in clause}]
    return len(used) - len(set(used))


def resolve(word: str | Literal, columns: Iterable[str], parameter: str) -> str | Literal:
    """Return the name of a known column unchanged, and any other text as a literal on a known column."""
    known = tuple(columns)
    if isinstance(word, str):
        if word in known:
            return word
        try:
            word = parse_literal(word)
        except RuleSyntaxError as error:
            raise ValueError(f"{parameter}: {brief(word)} is neither a column nor a literal. {error}") from None
    if not isinstance(word, Literal):
        raise TypeError(f"{parameter} must name columns or literals. Got {brief(word)}.")
    if word.column not in known:
        raise UnknownColumnError.named(word.column, known)
    return word


def resolve_all(words: Any, columns: Iterable[str], parameter: str) -> tuple[str | Literal, ...]:
    """Return one name or several as columns and literals, without repetition."""
    known = tuple(columns)
    return tuple(dict.fromkeys(resolve(word, known, parameter) for word in as_words(words, parameter)))


def as_words(words: Any, parameter: str) -> tuple[Any, ...]:
    """Return one name or several as a tuple."""
    if isinstance(words, str | Literal):
        return (words,)
    if not isinstance(words, Iterable):
        raise TypeError(f"{parameter} must name columns or literals. Got {brief(words)}.")
    return tuple(words)
