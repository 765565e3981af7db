"""The cases of the vectors, with the reason for each."""
