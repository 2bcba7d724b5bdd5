"""One outside thing a file; each translates, none decides."""
