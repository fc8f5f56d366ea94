"""Endgame tables of checkers with more pieces than those of the program: make, check them."""
