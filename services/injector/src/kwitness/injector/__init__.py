"""The injector: puts an observer beside the clients of a pod while the pod is made.

It answers one admission webhook and reads namespaces and one ConfigMap. What a pod gets is decided by a pure function
(`decision`); nothing here reads a resource of ours, and nothing is made in a tenant's namespace.
"""
