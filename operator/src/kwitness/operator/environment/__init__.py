"""What resources that put something into pods stand among: their cluster, its collector, the injector."""
