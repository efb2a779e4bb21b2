"""Requests in plain forms, which are nearly all, answered without the SDK."""
