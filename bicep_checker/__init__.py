"""Checks Bicep files without the Bicep compiler: names, modules, and resources against their schemas."""
