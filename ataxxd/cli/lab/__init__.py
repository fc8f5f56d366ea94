"""Tell the values of reversi's laboratory."""
