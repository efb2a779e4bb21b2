"""Answers messages with the SDK, for forms that only the SDK supports. This package is imported on first use."""
