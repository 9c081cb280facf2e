"""What every experiment uses; the only code that takes times is here."""
