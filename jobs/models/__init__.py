"""The model market: names, prices, and the one door to the vendors."""
