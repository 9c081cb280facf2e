"""Maximum flows and minimum cuts."""
