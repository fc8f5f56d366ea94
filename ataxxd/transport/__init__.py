"""The wire: what carries bytes between nodes, and nothing that understands them."""
