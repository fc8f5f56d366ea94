"""Plan, run, play and check a tournament of several rounds."""
