"""Checks Bicep files where there is no Bicep: names, modules, and resources against their real schemas."""
