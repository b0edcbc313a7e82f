"""Repairs: what to write, in the dialect of the file."""
