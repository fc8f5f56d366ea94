"""Reversi as in the laboratory: the values that a student's program must find."""
