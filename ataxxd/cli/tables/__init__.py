"""Make or check endgame tables of checkers."""
