"""Reports: one HTML page about a rule and some rows, which needs no other file."""

from imli.report.render import render
from imli.report.report import Report, make_report

__all__ = ["Report", "make_report", "render"]
