"""Learning batch by batch: what each batch is asked, what is remembered, and what may come that was never seen."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier, MiniBatch, parse_rule
from imli.errors import Interrupted
from imli.rules.distance import distance

KINDS = [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier]
PAIRS = [DecisionListClassifier, DecisionSetClassifier]
VOCABULARY = ["a > 0", "a <= 0", "b > 0", "b <= 0"]


def batch(seed, n_rows=200, flipped=False, noise=0.05):
    """Rows of which the class is a > 0 and b > 0, or the opposite."""
    rng = np.random.default_rng(seed)
    table = {name: rng.normal(size=n_rows).round(2) for name in "abcd"}
    truth = (table["a"] > 0) & (table["b"] > 0)
    return table, (truth ^ flipped ^ (rng.random(n_rows) < noise)).astype(int)


def quick(kind, **parameters):
    return kind(**({"n_clauses": 3, "effort": 0.1} | parameters))


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_batch_is_learned_as_fit_learns_it(kind):
    X, y = batch(0)
    one, other = quick(kind).partial_fit(X, y), quick(kind).fit(X, y)
    assert str(one.rule_) == str(other.rule_)
    assert one.answer_.cost == other.answer_.cost
    assert len(one.drift_) == 1
    assert len(other.drift_) == 0
    assert one.drift_[0].error_before is None
    assert one.drift_[0].error_after == pytest.approx(1 - one.score(X, y))


@pytest.mark.parametrize("memory", [0, 500])
@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_follows_a_concept_that_flips(kind, memory):
    clf = quick(kind, memory=memory)
    for number in range(12):
        clf.partial_fit(*batch(number, flipped=number >= 6))
    assert [found.number for found in clf.drift_ if found.is_drift] == [7]
    flip = clf.drift_[6]
    assert flip.error_before > 0.8
    assert flip.error_after < 0.15
    assert flip.moved + flip.turned > 0
    assert flip.came or flip.went or flip.turned
    assert all(found.error_before < 0.15 for found in clf.drift_[8:])
    assert clf.score(*batch(99, 2000, flipped=True, noise=0)) > 0.95
    assert clf.drift_[6].n_remembered == (200 if memory else 0)  # what speaks of the old concept is forgotten


@pytest.mark.parametrize("kind", KINDS)
def test_without_drift_the_rule_stays_and_settles(kind):
    clf = quick(kind, memory=2000)
    for number in range(8):
        clf.partial_fit(*batch(number))
    assert not any(found.is_drift for found in clf.drift_)
    assert sum(found.moved for found in clf.drift_[5:]) <= 3
    assert clf.score(*batch(99, 2000, noise=0)) > 0.97


def priced(rule, before, X, y, lam, move, size=True):
    """The objective of a batch, by hand."""
    errors = float((rule.predict(X) != y).sum())
    return errors + (lam * len(rule.literals) if size else 0) + move * distance(rule, before)


@pytest.mark.parametrize("backend", ["brute", "rc2", "cpsat", "native"])
@pytest.mark.parametrize("kind", [CNFClassifier, DNFClassifier])
def test_each_batch_is_answered_by_the_best_rule_near_the_last(kind, backend, monkeypatch):
    monkeypatch.setattr("imli.estimators.partial_fit.STANDARD_ERRORS", 0.0)  # any gain counts
    clf = kind(n_clauses=2, lam=2.0, backend=backend, strategy="joint")
    best = kind(n_clauses=2, lam=2.0, backend="brute", strategy="joint")
    clf.partial_fit(*batch(0, 60), classes=[0, 1], vocabulary=VOCABULARY)
    n_moved = 0
    for number in range(1, 5):
        X, y = batch(number, 60, flipped=number == 3)
        before = clf._stream.rule
        best = pickle.loads(pickle.dumps(clf)).set_params(backend="brute")
        clf.partial_fit(X, y)
        best.partial_fit(X, y)
        assert clf.answer_.cost == best.answer_.cost
        assert clf.answer_.cost == pytest.approx(priced(clf.answer_.rule, before, X, y, lam=2.0, move=1.8))
        assert "near the rule before" in clf.answer_.scope
        n_moved += clf.drift_[-1].moved
    assert n_moved > 0


@pytest.mark.parametrize("backend", ["rc2", "cpsat", "brute", "native"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", ["exact", "iterative"])
@pytest.mark.filterwarnings("ignore:The rule is constant")
def test_any_backend_and_strategy_goes_on_with_any_kind(kind, backend, strategy):
    if kind in PAIRS and strategy != "iterative":
        pytest.skip("lists and sets are learned by 'joint' or 'iterative'")
    clf = kind(n_clauses=2, lam=1.0, backend=backend, strategy=strategy, effort=0.01)
    clf.partial_fit(*batch(0, 60), classes=[0, 1], vocabulary=VOCABULARY)
    for number in range(1, 4):
        X, y = batch(number, 60, flipped=number > 1)
        before = clf._stream.rule
        clf.partial_fit(X, y)
        cost = priced(clf.answer_.rule, before, X, y, lam=1.0, move=0.9)
        assert clf.answer_.cost == pytest.approx(cost)
        assert cost <= priced(before, before, X, y, lam=1.0, move=0.9)
    # one clause at a time finds no DNF for the opposite: "always" is better than either half of it
    assert clf.drift_[-1].error_after < (0.3 if kind is DNFClassifier and strategy == "iterative" else 0.2)


@pytest.mark.parametrize("kind", PAIRS)
def test_solvers_of_formulas_go_on_with_lists_and_sets_clause_by_clause(kind):
    clf = kind(n_clauses=2, lam=1.0, strategy="iterative", backend="rc2")
    clf.partial_fit(*batch(0, 60), classes=[0, 1], vocabulary=VOCABULARY)
    clf.set_params(strategy="joint").partial_fit(*batch(1, 60, flipped=True))
    assert clf.drift_[-1].error_after < 0.2


def test_what_may_be_chance_changes_nothing():
    """A rule that is better on some of the rows where it differs, and worse on nearly as many."""
    vocabulary = ["a > 0", "b > 0"]
    clf = DNFClassifier(n_clauses=1, lam=0.1, backend="brute", strategy="exact")
    clf.partial_fit({"a": [1, 0] * 20, "b": [1, 0, 0, 1] * 10}, [1, 0] * 20, vocabulary=vocabulary)
    assert [str(literal) for literal in clf.rule_.literals] == ["a > 0"]

    def halves(n_for_b, n_for_a):
        """Rows where the two literals differ, of which so many speak for b and for a."""
        return {"a": [0, 1] * (n_for_b + n_for_a), "b": [1, 0] * (n_for_b + n_for_a)}, [1, 0] * n_for_b + [
            0,
            1,
        ] * n_for_a

    clf.partial_fit(*halves(n_for_b=12, n_for_a=11))  # 2 errors less in 46 rows
    assert clf.drift_[-1].moved == 0
    assert clf.answer_.status == "feasible"
    clf.partial_fit(*halves(n_for_b=20, n_for_a=3))  # 34 less
    assert [str(literal) for literal in clf.rule_.literals] == ["b > 0"]


@pytest.mark.parametrize("backend", ["brute", "rc2"])
def test_the_form_of_the_paper_pays_for_moves_alone(backend):
    clf = CNFClassifier(n_clauses=2, lam=1.0, backend=backend, strategy=MiniBatch(paper=True))
    clf.partial_fit(*batch(0, 60), classes=[0, 1], vocabulary=VOCABULARY)
    for number in range(1, 4):
        X, y = batch(number, 60, flipped=number == 2)
        before = clf._stream.rule
        clf.partial_fit(X, y)
        assert clf.answer_.cost == pytest.approx(priced(clf.answer_.rule, before, X, y, 1.0, move=1.0, size=False))
        assert len(clf.answer_.rule.clauses) == 2  # every slot holds a clause


@pytest.mark.parametrize(("strategy", "size"), [("exact", 1), (MiniBatch(paper=True), 2)])
def test_a_literal_that_nothing_speaks_for_goes_unless_size_is_free(strategy, size):
    X = {"a": [1, 1, 0, 0] * 10, "b": [1, 1, 0, 0] * 10}
    clf = DNFClassifier(n_clauses=1, lam=1.0, backend="brute", strategy=strategy, start="a > 0 AND b > 0")
    clf.partial_fit({"a": [1, 0, 1, 0] * 9, "b": [1, 1, 0, 0] * 9}, [1, 0, 0, 0] * 9, vocabulary=VOCABULARY)
    assert len(clf.answer_.rule.literals) == 2
    clf.set_params(start=None).partial_fit(X, [1, 1, 0, 0] * 10)
    assert len(clf.answer_.rule.literals) == size


@pytest.mark.parametrize("kind", KINDS)
def test_a_memory_keeps_what_a_batch_says_nothing_of(kind):
    """Batches of one sort of rows and then of another: the rule must still know the first."""
    rng = np.random.default_rng(0)

    def one_sort(sort, n_rows=150):
        x = rng.normal(size=n_rows).round(2)
        return {"sort": [sort] * n_rows, "x": x}, (x > 0 if sort == "up" else x <= 0).astype(int)

    scores = {}
    for memory in (0, 400):
        rng = np.random.default_rng(0)
        clf = quick(kind, memory=memory, n_clauses=4, lam=1.0)
        clf.partial_fit({"sort": ["up", "down"] * 50, "x": [1.0, -1.0] * 25 + [-1.0, 1.0] * 25}, [1] * 50 + [0] * 50)
        for sort in ("up", "down", "down", "down"):
            clf.partial_fit(*one_sort(sort))
        scores[memory] = clf.score(*one_sort("up", 500))
    assert scores[400] > 0.95
    assert scores[0] <= scores[400]


@pytest.mark.parametrize("kind", PAIRS)
def test_classes_may_come_later(kind):
    data = load_iris()
    order = np.random.default_rng(0).permutation(150)
    X, y = data.data[order], data.target_names[data.target][order]
    early = y != "setosa"
    clf = quick(kind, memory=200, lam=1.0).partial_fit(X[early][:60], y[early][:60])
    assert clf.classes_.tolist() == ["versicolor", "virginica"]
    with pytest.raises(ValueError, match="y has the label 'setosa' in row") as error:
        clf.partial_fit(X, y)
    assert str(error.value).endswith(
        "but the classes are ['versicolor', 'virginica']. Name all that may come: partial_fit(X, y, classes=[...])."
    )
    clf.partial_fit(X, y, classes=["setosa"])
    assert clf.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert clf.score(X, y) > 0.9
    assert clf.predict_proba(X).shape == (150, 3)
    clf.partial_fit(X, y)
    assert clf.classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_a_class_may_be_known_before_it_comes():
    X, y = batch(0, 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = quick(DNFClassifier).partial_fit({name: cells[y == 0] for name, cells in X.items()}, y[y == 0], [0, 1])
    assert [str(warning.message).partition(":")[0] for warning in caught] == ["The rule is constant"]
    assert clf.classes_.tolist() == [0, 1]
    clf.partial_fit(X, y)
    assert clf.score(X, y) > 0.8


def test_what_was_never_seen_has_the_effect_that_the_docs_say():
    X = {"town": ["Bonn", "Cork"] * 40, "age": [20, 60, 30, 50] * 20}
    y = [0, 1] * 40
    clf = DNFClassifier(n_clauses=2, lam=1.0, effort=0.05, memory=100).partial_fit(X, y)
    odd = {"town": ["Oslo", None, "Cork", "Bonn"], "age": [1e9, None, 55, -1e9]}
    before = clf.rule_
    assert before.predict(odd).tolist() == clf.predict(odd).tolist()
    # a new category, a number out of range and a gap are learned from like any other cell
    new = {"town": ["Oslo", "Oslo", "Bonn", None] * 30, "age": [500, 600, 700, None] * 30}
    clf.partial_fit(new, [1, 1, 0, 0] * 30)
    assert clf.score(new, [1, 1, 0, 0] * 30) > 0.7
    clf.partial_fit(new, [1, 1, 0, 0] * 30)  # a quarter more rows: the literals are learned anew
    assert any("Oslo" in str(literal) for literal in clf.literals_)
    assert any("missing" in str(literal) for literal in clf.literals_)
    assert clf.score(new, [1, 1, 0, 0] * 30) == 1.0


def test_literals_that_were_given_stay():
    clf = quick(DNFClassifier, refine=False).partial_fit(*batch(0), vocabulary=VOCABULARY)
    for number in range(1, 5):
        clf.partial_fit(*batch(number))
        assert [str(literal) for literal in clf.literals_] == VOCABULARY
    with pytest.raises(ValueError, match=r"^partial_fit: vocabulary is for the first call. Later ones go on with"):
        clf.partial_fit(*batch(5), vocabulary=VOCABULARY)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_rules_and_streams_do_not_meet(kind):
    one, other, apart = (quick(kind, memory=300, random_state=seed) for seed in (7, 7, 7))
    for number in range(4):
        one.partial_fit(*batch(number))
        other.partial_fit(*batch(number))
    for number in range(4):
        apart.partial_fit(*batch(number))
    assert str(one.rule_) == str(other.rule_) == str(apart.rule_)
    assert one.drift_ == other.drift_ == apart.drift_


def test_a_pickled_stream_goes_on_as_if_nothing_had_happened():
    one = quick(DNFClassifier, memory=300)
    for number in range(3):
        one.partial_fit(*batch(number))
    other = pickle.loads(pickle.dumps(one))
    for clf in (one, other):
        clf.partial_fit(*batch(3, flipped=True))
    assert one.drift_ == other.drift_
    assert clone(one)._stream is None


def test_fit_begins_anew_and_partial_fit_goes_on_from_it():
    clf = quick(DNFClassifier, memory=300).fit(*batch(0))
    clf.partial_fit(*batch(1))
    assert clf.drift_[0].error_before is not None
    assert clf.drift_[0].n_remembered <= 300
    clf.fit(*batch(2))
    assert len(clf.drift_) == 0


def test_the_path_of_a_fit_goes_with_its_rule():
    clf = quick(DNFClassifier, lam="cv", cv=2).fit(*batch(0, 60))
    assert clf.path_.pick is not None
    clf.set_params(lam="auto").partial_fit(*batch(1))
    assert not hasattr(clf, "path_")


def test_fewer_clauses_than_the_rule_has_are_kept_to():
    clf = DNFClassifier(n_clauses=4, lam=0.5, effort=0.1).partial_fit(*batch(0, 400, noise=0.2))
    assert len(clf.rule_.clauses) > 1
    clf.set_params(n_clauses=1).partial_fit(*batch(1))
    assert len(clf.rule_.clauses) <= 1


def test_conditions_are_kept_in_every_batch():
    clf = quick(DNFClassifier, never="b", always="c", locked="d > 1 AND a > 0", memory=100)
    for number in range(4):
        clf.partial_fit(*batch(number))
        assert "b" not in clf.rule_.columns
        assert "c" in clf.rule_.columns
        assert clf.rule_.clauses[0] == parse_rule("d > 1 AND a > 0").clauses[0]


def test_rows_of_no_weight_are_as_if_absent_and_weights_are_repetition():
    one, other = quick(DNFClassifier), quick(DNFClassifier)
    X, y = batch(0)
    one.partial_fit(X, y)
    other.partial_fit(X, y)
    X, y = batch(1)
    weights = np.random.default_rng(3).integers(0, 3, len(y))
    one.partial_fit(X, y, sample_weight=weights)
    other.partial_fit({name: np.repeat(cells, weights) for name, cells in X.items()}, np.repeat(y, weights))
    assert str(one.rule_) == str(other.rule_)
    assert one.drift_[-1].error_before == pytest.approx(other.drift_[-1].error_before)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("strategy", ["joint", "iterative"])
def test_ctrl_c_is_heard_at_once_and_the_batch_is_kept(strategy, flipped):
    clf = quick(DNFClassifier, memory=500, strategy=strategy, backend="native")
    for number in range(3):
        clf.partial_fit(*batch(number))
    n_told = 0

    def stop(progress):
        nonlocal n_told
        n_told += 1
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        clf.set_params(callback=stop).partial_fit(*batch(3, flipped=flipped))
    assert n_told == 1
    assert clf.answer_ == stopped.value.answer
    assert clf.answer_.status == "interrupted"
    assert [found.is_drift for found in clf.drift_] == [False, False, False, flipped]
    clf.set_params(callback=None).partial_fit(*batch(4, flipped=flipped))
    assert len(clf.drift_) == 5


def test_rows_that_each_clause_must_cover_are_counted_among_all_that_were_seen():
    clf = quick(DNFClassifier, memory=100, min_rows=150).partial_fit(*batch(0, 1000))
    clf.partial_fit(*batch(1, 50))
    assert clf._stream.memory.n_rows < 150
    assert clf.score(*batch(99, 2000, noise=0)) > 0.95


def state(clf):
    return str(clf.rule_), len(clf.drift_), clf.classes_.tolist(), clf._stream.memory.n_rows


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y: (X, y + 1), "y has the label 2 in row"),
        (lambda X, y: ({**X, "e": X["a"]}, y), "The columns must be those that DNFClassifier was fitted on"),
        (lambda X, y: ({**X, "a": ["x"] * len(y)}, y), "Column 'a' holds text, but the rule compares it with"),
        (lambda X, y: (X, y[:-1]), "Found input variables with inconsistent numbers of samples"),
        (lambda X, y: (X, y, [0, 1, 2]), "DNFClassifier decides between two classes, but there are 3: [0, 1, 2]. Use"),
        (lambda X, y: (X, y, []), "partial_fit: classes names no class. Name all that may come, or leave it out."),
        (lambda X, y: (X, y, ["no", "yes"]), "partial_fit: classes must be of the kind of the labels, such as 0."),
    ],
)
def test_a_batch_that_is_refused_changes_nothing(change, sentence):
    clf = quick(DNFClassifier, memory=100).partial_fit(*batch(0))
    before = state(clf)
    with pytest.raises((ValueError, TypeError)) as error:
        clf.partial_fit(*change(*batch(1)))
    assert str(error.value).startswith(sentence)
    assert state(clf) == before


def test_what_cannot_be_streamed_is_said():
    with pytest.raises(ValueError) as error:
        DNFClassifier(memory=-1).partial_fit(*batch(0))
    assert str(error.value) == "DNFClassifier: memory must be an integer of at least 0. Got -1."
    with pytest.raises(ValueError) as error:
        DNFClassifier().partial_fit({"a": [1, 2]}, [1, 1])
    assert str(error.value) == (
        "DNFClassifier needs two classes, but there is only [1]. Name all that may come: "
        "partial_fit(X, y, classes=[...])."
    )


def test_lam_by_folds_is_found_in_the_first_batch():
    clf = quick(DNFClassifier, lam="cv", cv=2).partial_fit(*batch(0))
    first = clf.lam_
    assert len(clf.path_) > 0
    clf.partial_fit(*batch(1))
    assert clf.lam_ == first
    assert not hasattr(clf, "path_")
