"""The injector: puts an observer beside the clients of a pod, and interceptors into them, while the pod is made.

It answers one admission webhook and reads namespaces and two ConfigMaps. What a pod gets is decided by pure functions
(`decision`); nothing here reads a resource of ours, and nothing is made in a tenant's namespace.
"""
