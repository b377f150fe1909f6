"""One module for each way of grading."""
