"""A method for tests of the runner."""
