"""The systems of the papers, one folder per family and method; each is a library by itself."""
