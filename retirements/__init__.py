"""Finds Azure retirements, and the resources that each retirement affects."""
