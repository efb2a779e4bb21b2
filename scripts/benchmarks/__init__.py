"""Benchmarks that compare the server with the plain SDK in the same run."""
