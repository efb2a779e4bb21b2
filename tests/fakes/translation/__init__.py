"""Imitates Azure Translator, text translation v3.0."""
