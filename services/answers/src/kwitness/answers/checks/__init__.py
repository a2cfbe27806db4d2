"""What may be wrong with an installation: pure functions from facts to findings. Nothing here asks or prints."""
