"""Finds the changes that may have broken an application. Joins, links and ranks events from many sources."""
