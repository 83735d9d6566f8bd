"""The damage that a reader must notice, by what was damaged."""
