"""Checks Bicep files without the Bicep compiler. Checks names, modules, and resources against their schemas."""
