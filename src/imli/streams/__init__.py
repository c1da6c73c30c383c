"""Streams of rows: what is remembered of them, and how a rule did and moved from batch to batch."""

from imli.streams.drift import Batch, DriftLog, is_drift, n_effective
from imli.streams.memory import Memory
from imli.streams.stream import Stream

__all__ = ["Batch", "DriftLog", "Memory", "Stream", "is_drift", "n_effective"]
