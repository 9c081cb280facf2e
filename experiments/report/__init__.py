"""What the documentation says about the results: tables, and verdicts on what papers claim."""
