"""Signs people in to the console of a cluster: by tokens that the API server reviews, and nothing else."""
