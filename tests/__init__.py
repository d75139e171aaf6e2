"""Tests; ``tests.reference`` and the other helpers are imported by them under these names."""
