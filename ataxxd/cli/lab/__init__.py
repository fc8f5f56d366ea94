"""Values of reversi as the laboratory computes them."""
