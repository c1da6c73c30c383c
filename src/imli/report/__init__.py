"""Reports: one page about a rule, that needs no other file."""

from imli.report.render import render
from imli.report.report import Report, make_report

__all__ = ["Report", "make_report", "render"]
