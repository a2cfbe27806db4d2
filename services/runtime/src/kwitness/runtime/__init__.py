"""What two or more of our processes use: their life, logging, probes, access to the API server, files, names.

No policy of any one process belongs here.
"""
