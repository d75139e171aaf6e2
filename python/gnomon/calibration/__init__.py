"""Measuring the gate: the score from which a system may say that nothing answers."""
