"""One hazard a file: the same program with its edge dropped, then kept."""
