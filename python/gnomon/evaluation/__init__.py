"""Measuring retrieval, refusal and answers against a golden set."""
