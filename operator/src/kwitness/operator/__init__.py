"""The Kubernetes operator: handlers translate, reconcile decides, desired builds, adapters talk to the outside."""
