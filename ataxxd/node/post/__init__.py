"""Cards, post and calls: how nodes find each other, challenge each other and share work."""
