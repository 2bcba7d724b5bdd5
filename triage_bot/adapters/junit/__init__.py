"""JUnit XML of every dialect: reading it, whatever state it is in, and writing it."""
