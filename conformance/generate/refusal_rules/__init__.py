"""The rules that make a reader refuse, by the part of the specification in which they stand."""
