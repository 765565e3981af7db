"""The cases of the vectors, and why each exists, a theme a file."""
