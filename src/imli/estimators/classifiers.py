"""The four classifiers, one for each kind of rule."""

from imli.estimators.base import RuleClassifier


class CNFClassifier(RuleClassifier):
    """Learns a rule "(… OR …) AND (… OR …)" for one of two classes.

    All clauses must hold, each by at least one of its literals. The rule has the lowest possible sum of
    (weighted) errors and ``lam`` for each literal, among all rules that keep the conditions.

    Parameters
    ----------
    n_clauses
        How many clauses may be learned.
    lam
        How many errors a literal must save to be worth its place. "auto" is 0.8 for each time that the rows double
        beyond 32, at least 1, and from about 5,000 rows on a twelfth of their square root: about 4 for a thousand
        rows, 83 for a million. "cv" goes through the whole path from short rules to long ones (:func:`rule_path`),
        and takes the value, and at most as many literals, of the smallest rule whose cross-validated error is within
        one standard error of the lowest. That takes about ten times as long.
    strategy
        "joint" searches all clauses together, on all rows. The others are the paper's: "exact" asks a solver for
        the best rule at once, "iterative" for one clause after the other, "minibatch" for all clauses on one batch
        of rows after the other, "incremental" for both; or a Strategy, such as ``Exact(paper=True)``.
    backend
        "native", our own search, which "auto" means with "joint"; "rc2", a MaxSAT solver, which it means with the
        others; "cpsat", which also gives good rules when time is short; "brute", which tries every rule and is for
        small data; or ``ExternalSolver("clasp", …)``.
    batch_size
        How many rows a batch has, in "minibatch" and "incremental".
    rounds
        In how many batches each row takes part.
    bins
        Numbers are cut into at most this many bins.
    binning
        "quantile" makes bins of about equally many rows, "uniform" of equal width, "supervised" cuts where the
        classes part best.
    intervals
        "open" tests on either side of each cut (x <= t, x > t); "closed" tests for each bin (a <= x < b).
    refine
        Whether the thresholds that the rule has are then looked for anew between their neighbours, so that they come
        out much finer than the bins. For the default strategy and backend, with open intervals.
    never
        Columns, or single literals as they are printed, that must not occur in the rule.
    always
        Columns or literals that must occur in the rule; ``Every(literal)`` must occur in each clause.
    feature_costs
        A factor on ``lam`` for some columns or literals.
    disjoint
        True: no column occurs in two clauses. A number: each further clause that uses a column costs that much.
    max_literals
        The most literals that the rule may have.
    min_rows
        The fewest training rows that each clause must decide.
    monotone
        For some columns 1, if larger values must never speak against the second class, or -1 for the reverse.
    locked
        Clauses that stay, exactly as given, as the first of the rule, while the others are learned around them: a
        rule of the classifier's kind, its text, or a list of texts of clauses (``"age > 60 AND smoker"``; in lists
        and sets ``"IF age > 60 THEN high"``). They come on top of ``n_clauses``, which may then be 0.
    start
        A rule of the classifier's kind, or its text, for the search to start from: what is learned never costs more,
        if the start keeps the conditions. With ``warm_start``, from the second ``fit`` on, the last rule is the start.
    class_weight
        "balanced", or a dict from class to how much its rows count.
    effort
        How long the native search goes on, relative to the default; ``float("inf")`` is until ``time_limit``. It
        counts work, not time, so the same rule comes out on every machine.
    time_limit
        Seconds after which ``fit`` returns the best rule that it has.
    prove
        True, or so many seconds: prove first that no change of a single clause makes the rule cheaper, then that
        no other rule is. ``answer_`` says how far that came.
    warm_start
        Whether the next ``fit`` goes on from the rule of the last.
    n_jobs
        How many threads to use; None is all cores, or their share inside joblib's workers. The rule does not
        depend on it.
    random_state
        The seed of all that is left to chance. None is a seed too: the same data gives the same rule.
    verbose
        1 prints a line for each better rule.
    callback
        Called with a :class:`Progress` for each better rule: its cost, the proven bound and the seconds so far.
    cv
        In how many folds ``lam="cv"`` cross-validates, or a splitter of scikit-learn, or a list of splits.
    memory
        How many rows of those seen ``partial_fit`` keeps, to learn from them together with each new batch.

    Attributes
    ----------
    rule_
        The rule. It decides any table by itself: ``rule_.predict(frame)``.
    answer_
        The rule with its cost, and what is proven about it.
    literals_
        The tests that the rule could choose from.
    lam_
        How many errors a literal had to save, whichever way ``lam`` was given.
    path_
        With ``lam="cv"``, the :class:`RulePath` that was gone through.
    classes_
        The two classes. The rule describes the second.
    drift_
        What each batch of ``partial_fit`` did.

    Examples
    --------
    >>> from imli import CNFClassifier
    >>> clf = CNFClassifier(n_clauses=2, lam=0.1, strategy="exact")
    >>> clf = clf.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 0, 1])
    >>> print(clf.rule_)
    IF    (x0 OR not x1)
      AND (not x0 OR x1)
    THEN  1   (100 % of the 2 rows it covers)
    ELSE  0   (100 % of 2)
    >>> clf.answer_.cost, clf.answer_.status
    (0.4, 'optimal')
    """

    _kind = "cnf"


class DNFClassifier(RuleClassifier):
    """Learns a rule "… AND … OR … AND …" for one of two classes.

    One of the clauses must hold, with all of its literals. The rule has the lowest possible sum of (weighted)
    errors and ``lam`` for each literal, among all rules that keep the conditions.

    All parameters and attributes are those of :class:`CNFClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from imli import DNFClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = DNFClassifier(never="worst perimeter", max_literals=3).fit(X, y)
    >>> print(clf.rule_)
    IF    worst area <= 685
       OR worst radius <= 17.5 AND worst smoothness <= 0.1376
    THEN  target is 1   (96 % of the 363 rows it covers)
    ELSE  target is 0   (96 % of 206)

    A clause that must stay, and one that is learned around it:

    >>> clf = DNFClassifier(n_clauses=1, locked="worst area <= 700 AND worst texture <= 25").fit(X, y)
    >>> print(clf.rule_)
    IF    worst area <= 700 AND worst texture <= 25
       OR worst radius <= 17.5 AND worst concave points <= 0.1454
    THEN  target is 1   (96 % of the 364 rows it covers)
    ELSE  target is 0   (96 % of 205)
    """

    _kind = "dnf"


class DecisionListClassifier(RuleClassifier):
    """Learns a rule "IF … ELSE IF … ELSE …" for two or more classes: the first clause that holds decides.

    All parameters and attributes are those of :class:`CNFClassifier`; ``n_clauses`` counts the clauses, and the
    default class comes on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionListClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionListClassifier(n_clauses=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF      petal width <= 0.6
    THEN    setosa       (100 % of the 50 rows it covers)
    ELSE IF petal length <= 4.9 AND petal width <= 1.6
    THEN    versicolor   (100 % of 47)
    ELSE    virginica    (94 % of 53)
    """

    _kind = "list"


class DecisionSetClassifier(RuleClassifier):
    """Learns independent rules "IF … THEN …", each for one of two or more classes, and a default class.

    Where rules of several classes hold, the class for which most of them speak is decided; among equals, the
    one whose rule stands first. All parameters and attributes are those of :class:`CNFClassifier`; ``n_clauses``
    counts the clauses, and the default class comes on top.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionSetClassifier
    >>> data = load_iris(as_frame=True)
    >>> X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> clf = DecisionSetClassifier(n_clauses=2, lam=2).fit(X, data.target_names[data.target])
    >>> print(clf.rule_)
    IF petal width > 1.7 THEN virginica    (98 % of the 46 rows it covers)
    IF petal width > 0.6 THEN versicolor   (50 % of 100)
    OTHERWISE setosa                       (100 % of 50; 46 rows are covered by several)
    """

    _kind = "set"
