"""Questions with known answers: probe sets of the gate, and golden sets of retrieval."""
