"""LatencySlo: how many answers took longer than their objective allows, and how fast its budget goes."""
