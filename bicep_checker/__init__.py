"""Checks Bicep files without the Bicep compiler. Checks names and modules, and compares resources with their
schemas.
"""
