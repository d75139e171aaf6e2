"""What is known about the embedding model behind a file of vectors."""

from gnomon.embedding.prefixes import missing_prefix_warnings
from gnomon.embedding.profile import Profile

__all__ = ["Profile", "missing_prefix_warnings"]
