"""Understands what people ask for: which of the tools that are there a sentence means, learned from examples."""
