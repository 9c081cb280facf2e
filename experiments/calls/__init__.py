"""Whole calls, from what a user has to what a user gets, beside what the user has today."""
