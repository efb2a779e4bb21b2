"""Checks Bicep files without the Bicep compiler: names, modules, and resources with their schemas."""
