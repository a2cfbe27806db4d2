"""The Kubernetes operator: kinds decide, the engine reads facts and acts, adapters talk to the outside."""
