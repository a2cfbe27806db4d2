"""The doors: who may come in, how large they may be, and what they speak. Nothing here decides what is kept."""
