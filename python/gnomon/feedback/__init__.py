"""Feedback of production: read as exported, gathered by question, kept for review."""
