"""Mode Sidecar: what the injector is told of one ObserverDeployment, and what became of the pods that it selects."""
