"""Answers nearly all requests without the SDK, which is slow to import."""
