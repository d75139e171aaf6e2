"""Views of results: text, Markdown, HTML. Computes nothing."""
