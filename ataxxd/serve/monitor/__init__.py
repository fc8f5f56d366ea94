"""What watches over an unattended node: its metrics, its health, and who asks for them."""
