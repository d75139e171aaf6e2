"""Slow, obvious definitions of what the kernels compute; nothing here imports gnomon."""
