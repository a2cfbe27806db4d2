"""ObserverDeployment: a gateway in front of a listener, its addresses, and what it saw."""
