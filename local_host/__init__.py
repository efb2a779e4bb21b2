"""Runs Azure Functions apps on a developer's machine, with Microsoft's own worker library."""
