"""The observer host of an ObserverDeployment, wherever its observers run."""
