"""Tests; ``tests.reference`` and ``tests.strategies`` are imported by them under these names."""
