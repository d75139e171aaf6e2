"""gnomon measures retrieval and answers with a decision."""
