"""What a node does in an event: it runs one, plays in one, or looks on and checks."""
