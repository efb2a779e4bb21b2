"""A small Azure Functions host for a developer's machine, on Microsoft's own worker library."""
