"""From a pod, its namespace and the injections to a patch: pure functions, which the goldens call."""
