"""The observer host of an ObserverDeployment, in whatever mode it observes."""
