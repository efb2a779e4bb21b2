"""Answers messages with the SDK, for forms that only the SDK supports. Imported on first use."""
