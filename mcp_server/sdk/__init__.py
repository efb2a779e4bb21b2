"""Answers, with the SDK, messages in forms that only the SDK supports. This package is imported on first use."""
