"""Where the core meets the ports: one workflow a file."""
