"""Should this index move to the new embedding model, and how: the probe.

Gathers vectors and judgements, measures the five rankings of the design, asks
:mod:`gnomon.rules.upgrade` for the decision and returns a :class:`ProbeResult`.
"""
