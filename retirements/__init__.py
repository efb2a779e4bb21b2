"""Finds what Azure retires, and which resources each retirement affects."""
