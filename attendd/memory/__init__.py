"""What is remembered: which facts are kept, how they fade, and how they are forgotten."""
