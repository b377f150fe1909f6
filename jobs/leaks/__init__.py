"""What would let a comparison be won by words: copied assertions, outputs that show their arm."""
