"""How probable each class is, by what became of the training rows."""

import numpy as np

from imli.arrays import FloatArray
from imli.rules.rule import Rule

_PRIOR_ROWS = 2  # as many rows of average classes are added to those that a clause decides
_LEAST_LEAD = 1e-6  # of the class that is decided over every other


def region_probabilities(rule: Rule, factors: FloatArray) -> FloatArray:
    """For each region of a rule with counts the probability of each class: its share of the training rows there.

    Each class counts by its factor. A few rows of average classes smooth the shares, and the class that the rule
    decides for is always the most probable.
    """
    assert rule.counts is not None
    weights = np.array(rule.counts.regions) * factors
    totals = weights.sum(axis=0)
    prior = totals / totals.sum() if totals.any() else np.full(len(totals), 1 / len(totals))
    shares: FloatArray = weights + _PRIOR_ROWS * prior
    shares /= shares.sum(axis=1, keepdims=True)
    for own, label in zip(shares, rule.region_classes, strict=True):
        decided = rule.counts.classes.index(label)
        lead = own[decided] - np.max(np.delete(own, decided), initial=0.0)
        if lead < _LEAST_LEAD:
            missing = (_LEAST_LEAD - lead) / (1 - lead)
            own *= 1 - missing
            own[decided] += missing
    return shares
