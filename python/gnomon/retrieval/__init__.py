"""The index over pages or a corpus: chunks, levers, hybrid search and the gate's evidence."""
