"""Predicts which of the available tools a sentence asks for, with a model learned from examples."""
