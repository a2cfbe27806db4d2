"""What two or more of our processes use: logging, probes, access to the API server, files that change, names.

No policy of any one process belongs here.
"""
