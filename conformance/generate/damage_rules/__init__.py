"""The damage that a reader must detect, by what is damaged."""
