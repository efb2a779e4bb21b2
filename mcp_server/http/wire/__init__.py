"""Answers simple requests, which are nearly all, without the SDK."""
