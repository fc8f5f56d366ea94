"""The transports: they carry bytes between nodes, and understand none of them."""
