"""Offers tools over the Model Context Protocol. This package contains nothing about Azure."""
