"""The command that shows algorithms step by step."""
