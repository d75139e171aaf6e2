"""Every decision of gnomon, pure: values in, a decision with its reasons out.

Nothing here reads a file, draws a number or holds an array, so each rule can be read by a domain
expert and tested by a table.
"""
