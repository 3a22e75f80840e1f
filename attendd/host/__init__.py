"""The host: one process for a user that runs the loop for every attended session."""
