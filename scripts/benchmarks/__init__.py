"""Benchmarks of the server, next to the plain SDK in the same run."""
