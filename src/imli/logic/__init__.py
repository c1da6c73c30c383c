"""Why a rule decides a row as it does, and what would change that: exact answers, by SAT and MaxSAT.

``rule.why`` and ``rule.what_if`` give them. The searches are in modules of their own, which are imported when asked
for, since they need python-sat.
"""

from imli.logic.domains import Domain
from imli.logic.what_if import Change, WhatIf
from imli.logic.why import Why

__all__ = ["Change", "Domain", "WhatIf", "Why"]
