"""Table of the public parameters, shared by the command line, the documentation and the docstrings.

The module imports nothing heavy, since the help of the command line is made from it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter as Argument
from inspect import cleandoc, signature
from textwrap import fill, indent
from typing import Any, Literal, TypeVar

LamName = Literal["auto", "cv"]
StrategyName = Literal["joint", "exact", "minibatch", "iterative", "incremental"]
BackendName = Literal["auto", "native", "rc2", "cpsat", "brute"]
BinningName = Literal["quantile", "uniform", "supervised"]
IntervalsName = Literal["open", "closed"]
Direction = Literal[1, -1]
Loss = Literal["errors", "log"]  # what is minimised, beside the price of literals

Documented = TypeVar("Documented", bound=Callable[..., Any])


@dataclass(frozen=True)
class Parameter:
    """One parameter of a classifier, of LiteralEncoder or of rule_path.

    The name of the flag is the name of the parameter with hyphens; a parameter without ``metavar`` or ``flag_help``
    has a flag without a value or none at all.
    """

    description: str  # code in double backquotes, which reStructuredText and Markdown both read
    type: str  # in words: the exact type is the annotation in the signature
    default: Any = None  # the default of the signature
    words: Mapping[str, str] = field(default_factory=dict)  # each word that is a value, with its meaning
    metavar: str = ""  # the name of the flag's value
    flag_help: str = ""  # help of the flag, where it is not the first sentence of the description

    @property
    def help(self) -> str:
        """Return the help of the flag, without the default."""
        meanings = "; ".join(f"{word}: {meaning}" for word, meaning in self.words.items())
        return self._in_help(f"; {meanings}" if meanings else "")

    @property
    def short_help(self) -> str:
        """Return the help of the flag with the words that are values, but without their meanings."""
        others = {"X": ["a number"], "CLASS=X": ["CLASS=X"]}.get(self.metavar, [])
        return self._in_help(f": {join_words([*others, *self.words])}" if self.words else "")

    def _in_help(self, end: str) -> str:
        text = self.flag_help or re.split(r"\.(?:\s|$)", self.description, maxsplit=1)[0]
        return (text[0].lower() + text[1:] + end).replace("``", "").replace("%", "%%")

    @property
    def docstring(self) -> str:
        """Return the description with the words as a list, wrapped for a docstring."""
        points = [fill(f'- ``"{word}"``: {text}.', 110, subsequent_indent="  ") for word, text in self.words.items()]
        return "\n\n".join([fill(self.description, 110), *(["\n".join(points)] if points else [])])


def join_words(words: Sequence[str]) -> str:
    """Return words as a sentence lists them.

    >>> join_words(["dnf"]), join_words(["cnf", "dnf", "list"])
    ('dnf', 'cnf, dnf or list')
    """
    return " or ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


PARAMETERS: Mapping[str, Parameter] = {
    "kind": Parameter(
        "Kind of rule to learn.",
        "a word",
        "auto",
        words={
            "cnf": "all clauses must hold, each by at least one of its conditions",
            "dnf": "one clause must hold, with all of its conditions",
            "list": "the first clause that holds decides",
            "set": "the clauses that hold vote",
            "score": "the points of the items that hold add up",
            "checklist": "a number of the items must hold",
            "auto": "the one that cross-validation chooses",
        },
        metavar="KIND",
    ),
    "n_clauses": Parameter(
        "Largest number of clauses to learn. The default class of a list or set, and clauses in ``locked``, are not "
        "counted.",
        "an integer of at least 1, or of at least 0 with ``locked``",
        10,
        metavar="N",
    ),
    "max_items": Parameter(
        "Largest number of items to learn. Items in ``locked`` are not counted.",
        "an integer of at least 1, or of at least 0 with ``locked``",
        20,
        metavar="N",
    ),
    "max_points": Parameter(
        "Most points that an item of a score may have, above or below 0.",
        "an integer of at least 1",
        5,
        metavar="N",
    ),
    "item_literals": Parameter(
        "Largest number of conditions in an item of a score or checklist.",
        "an integer of at least 1",
        1,
        metavar="N",
    ),
    "loss": Parameter(
        "What is minimized beside the price of the conditions. By default it is log for a score, and errors for a "
        "checklist.",
        "a word",
        words={
            "log": "the log-loss of the probabilities by total, which also orders the rows",
            "errors": "the number of wrong decisions",
        },
        metavar="HOW",
        flag_help="what is minimized beside the price of the conditions of a score or checklist",
    ),
    "lam": Parameter(
        "Number of errors that a condition must save to be worth its place in the rule.",
        "a number of at least 0 or a word",
        "auto",
        words={
            "auto": "the largest value at which rules are about as right as they get on rows held out, and at least "
            "what it takes to describe a condition and what the number of rows asks for",
            "cv": "the value of the smallest rule that, fold by fold, is not clearly worse than the best, of rules "
            "from short to long",
        },
        metavar="X",
    ),
    "strategy": Parameter(
        "How the clauses are searched for: a word or an object such as ``Exact(paper=True)``.",
        "a word or a ``Strategy``",
        "joint",
        words={
            "joint": "all clauses together, on all rows",
            "exact": "all clauses at once, by a solver",
            "minibatch": "all clauses, on one batch of rows after the other",
            "iterative": "one clause after the other",
            "incremental": "one clause after the other, each on one batch of rows after the other",
        },
        metavar="HOW",
        flag_help="how the clauses are searched for",
    ),
    "backend": Parameter(
        'Solver that finds the rule: a word or an object such as ``ExternalSolver("open-wbo")``.',
        "a word or a ``Backend``",
        "auto",
        words={
            "auto": "native with the strategy joint, else rc2",
            "native": "the search of imli itself",
            "rc2": "a MaxSAT solver that is installed with imli",
            "cpsat": "CP-SAT of ortools, which also finds good rules when time is short",
            "brute": "a trial of every rule, for small tables",
        },
        metavar="SOLVER",
        flag_help="solver that finds the rule, by name or as the command of a MaxSAT program",
    ),
    "batch_size": Parameter(
        "Number of rows in a batch, for the strategies minibatch and incremental.",
        "an integer of at least 1",
        400,
        metavar="N",
    ),
    "rounds": Parameter(
        "Number of batches that each row takes part in, for the strategies minibatch and incremental.",
        "an integer of at least 1",
        2,
        metavar="N",
    ),
    "bins": Parameter(
        "Largest number of bins that a column of numbers or dates is cut into.",
        "an integer of at least 2",
        20,
        metavar="N",
    ),
    "binning": Parameter(
        "How the bins of a column are chosen.",
        "a word",
        "quantile",
        words={
            "quantile": "bins of about equally many rows",
            "uniform": "bins of equal width",
            "supervised": "cuts where the classes are separated best",
        },
        metavar="HOW",
    ),
    "intervals": Parameter(
        "Form of the conditions on numbers.",
        "a word",
        "open",
        words={
            "open": "two conditions for each cut, such as ``x <= t`` and ``x > t``",
            "closed": "one condition for each bin, such as ``a <= x < b``",
        },
        metavar="HOW",
    ),
    "refine": Parameter(
        "Search for finer thresholds for the conditions that the rule has, between those of the bins. It applies to "
        "the default strategy and backend, with open intervals.",
        "True or False",
        True,
    ),
    "never": Parameter(
        'Columns or conditions that must not occur in the rule. A condition is written as in a rule: ``"age <= 9"``.',
        "a name, a condition or a list of them",
        (),
        metavar="COL",
        flag_help="column or condition that must not occur in the rule",
    ),
    "use": Parameter(
        "Columns that conditions may be on though they look like identifiers or free text, which give no conditions "
        "otherwise. Columns that ``always``, ``locked``, ``start``, ``feature_costs`` or ``monotone`` name need not be "
        "named again.",
        "a name or a list of names",
        (),
        metavar="COL",
        flag_help="column to use though it looks like an identifier or free text, or like a leak",
    ),
    "always": Parameter(
        "Columns or conditions that must occur in the rule. ``Every(condition)`` must occur in each clause.",
        "a name, a condition, an ``Every`` or a list of them",
        (),
        metavar="COL",
        flag_help="column or condition that must occur in the rule",
    ),
    "feature_costs": Parameter(
        'Factors on ``lam`` for columns or conditions, such as ``{"income": 3}``. At 0 a condition costs nothing.',
        "a dict of numbers of at least 0, or None",
        metavar="COL=X",
        flag_help="factor on lam for the conditions on a column",
    ),
    "disjoint": Parameter(
        "Use each column in one clause at most; with a number, each further clause that uses a column costs that much "
        "instead.",
        "True, False, None or a number of at least 0",
        metavar="X",
    ),
    "max_literals": Parameter(
        "Largest number of conditions in the rule, where a range such as ``20 < age <= 30`` counts as two.",
        "an integer of at least 0, or None",
        metavar="N",
    ),
    "min_rows": Parameter(
        "Smallest number of training rows that each clause must decide.",
        "an integer of at least 1, or None",
        metavar="N",
    ),
    "monotone": Parameter(
        'Directions of columns, such as ``{"income": 1}``: with 1, larger values never count against the class that '
        "the rule describes; with -1, larger values never count for it. Of truth values, true is the larger one.",
        "a dict of 1 and -1, or None",
        metavar="COL=up|down",
        flag_help="direction of a column: with up, larger values never count against the class that the rule "
        "describes; with down, larger values never count for it",
    ),
    "locked": Parameter(
        "Clauses that stay exactly as given, as the first of the rule, while others are learned around them: a rule of "
        "the classifier's kind, its text, or a list of texts of clauses. A clause of a formula is written "
        '``"age > 60 AND smoker"``, and one of a list or set ``"IF age > 60 THEN high"``. A clause that ``never``, '
        "``monotone`` or ``disjoint=True`` forbids is refused: neither of the two gives way.",
        "a rule, a text or a list of them",
        (),
        metavar="TEXT",
        flag_help="clause that stays exactly as given, while others are learned around it: 'age > 60 AND smoker', or "
        "for lists and sets 'IF age > 60 THEN yes'",
    ),
    "start": Parameter(
        "Rule that the search starts from: a rule of the classifier's kind or its text. The learned rule never costs "
        "more than a start that keeps the other conditions.",
        "a rule, a text or None",
        metavar="TEXT",
        flag_help="rule that the search starts from",
    ),
    "positive": Parameter(
        "Class that a CNF or DNF describes, which stands after THEN. In a list or set it comes last among equally good "
        "classes, so that the default is another one. By default it is 1 and not 0, true and not false, yes and not "
        "no, or the class that a formula in ``start`` or ``locked`` names; of two other classes the rarer, by the "
        "weights of the rows.",
        "a class or None",
        metavar="CLASS",
        flag_help="class that a CNF or DNF describes (default: 1 and not 0, true and not false, yes and not no, else "
        "the rarer)",
    ),
    "class_weight": Parameter(
        'Weights of the rows of each class, such as ``{"yes": 5}``: a class that is not named has the weight 1.',
        "a dict of numbers of at least 0, a word or None",
        words={"balanced": "all classes have the same total weight"},
        metavar="CLASS=X",
        flag_help="weight of the rows of a class",
    ),
    "effort": Parameter(
        "Multiply the default search effort by this number. It counts work and not time, so that the same rule is "
        'found on every machine; ``float("inf")`` searches until ``time_limit``.',
        "a positive number",
        1.0,
        metavar="X",
    ),
    "time_limit": Parameter(
        "Seconds after which the search ends with the best rule found so far.",
        "a positive number or None",
        metavar="SECONDS",
    ),
    "prove": Parameter(
        "Prove that no change of a single clause makes the rule cheaper, then that no other rule is cheaper; a number "
        "is the most seconds that the proof may take. ``answer_`` has the result.",
        "True, False or a positive number",
        False,
        metavar="SECONDS",
    ),
    "warm_start": Parameter(
        "Start each ``fit`` from the rule of the one before.",
        "True or False",
        False,
        metavar="MODEL",
        flag_help="start the search from the rule of a saved model",
    ),
    "n_jobs": Parameter(
        "Number of threads; all cores by default. Inside a worker of joblib the default is its share of the cores. The "
        "rule does not depend on the number.",
        "an integer or None",
        metavar="N",
    ),
    "random_state": Parameter(
        "Random seed. None is a fixed seed, too: the same data gives the same rule.",
        "an integer, a ``RandomState`` of NumPy or None",
        metavar="N",
    ),
    "verbose": Parameter(
        "Print a line for each better rule that is found, unless 0.",
        "0 or 1",
        0,
        flag_help="print a line for each better rule that is found",
    ),
    "callback": Parameter(
        "Function that is called with a ``Progress`` for each better rule: its cost, the proven bound and the seconds "
        "so far.",
        "a function or None",
    ),
    "cv": Parameter(
        "Number of folds of the cross-validation, a splitter of scikit-learn, or a list of splits. A classifier uses "
        'it with ``lam="cv"`` only. Folds by number are stratified, and at most as many as the second most frequent '
        "class has rows.",
        "an integer of at least 2, a splitter or a list of splits",
        5,
        metavar="N",
    ),
    "memory": Parameter(
        "Number of rows that ``partial_fit`` keeps and learns from together with each new batch.",
        "an integer of at least 0",
        0,
        metavar="N",
        flag_help="number of rows to keep in the model, from which --update learns together with the new rows",
    ),
    "negations": Parameter("Add the opposite of each condition.", "True or False", True),
    "n_rules": Parameter(
        "Largest number of rules on the path. The path has fewer if there are no more to find.",
        "an integer of at least 1",
        20,
        metavar="N",
    ),
}

ATTRIBUTES: Mapping[str, str] = {
    "rule_": "Learned rule, which decides any table by itself: ``rule_.predict(frame)``.",
    "answer_": "Learned rule with its cost and with what is proven about it.",
    "classes_": "Classes in sorted order.",
    "positive_": "Class that a CNF or DNF describes, or that a list or set puts last among equally good classes.",
    "literals_": "Conditions that the rule could choose from.",
    "lam_": "Number of errors that a condition had to save, also where ``lam`` is a word.",
    "path_": 'Path of rules from short to long that ``lam="cv"`` chose from. It exists with ``lam="cv"`` only.',
    "findings_": "Findings about the table that a person should know before signing off the rule, the gravest first.",
    "drift_": "Errors and changes of the rule in each batch of ``partial_fit``.",
    "n_features_in_": "Number of columns of the training table.",
    "feature_names_in_": "Names of the columns of the training table. It exists if the table has names.",
}

_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S+)\n((?: +.*\n|\n(?= ))*)", re.MULTILINE)


def document(attributes: Mapping[str, str] | None = None) -> Callable[[Documented], Documented]:
    """Return a decorator that completes the Parameters and Attributes of a numpydoc docstring.

    Parameters of the signature that the docstring does not describe are described as in ``PARAMETERS``, and
    ``attributes`` are added to those that it describes.

    >>> @document()
    ... def learn(bins=20):
    ...     "Learn a rule."
    >>> learn.__doc__.splitlines()[-2:]
    ['bins', '    Largest number of bins that a column of numbers or dates is cut into.']
    """

    def complete(documented: Documented) -> Documented:
        if documented.__doc__ is None:  # python -OO
            return documented
        summary, *rest = _SECTION.split(cleandoc(documented.__doc__) + "\n")
        written = dict(zip(rest[::2], rest[1::2], strict=True))
        own = dict(_ENTRY.findall(written.pop("Parameters", "")))
        names = [_written_name(argument) for argument in signature(documented).parameters.values()]
        sections = {
            "Parameters": {name: own[name] if name in own else PARAMETERS[name].docstring for name in names},
            "Attributes": {**(attributes or {}), **dict(_ENTRY.findall(written.pop("Attributes", "")))},
        }
        made = {title: _lay_out(entries) for title, entries in sections.items() if entries}
        texts = [summary, *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in (made | written).items())]
        documented.__doc__ = "\n\n".join(text.strip("\n") for text in texts)
        return documented

    return complete


def _written_name(argument: Argument) -> str:
    return f"**{argument.name}" if argument.kind is Argument.VAR_KEYWORD else argument.name


def _lay_out(entries: Mapping[str, str]) -> str:
    return "\n".join(f"{name}\n{indent(cleandoc(text), '    ')}" for name, text in entries.items())
