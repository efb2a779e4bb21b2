"""Answers common requests without the SDK, which is slow to import. Nearly all requests are common."""
