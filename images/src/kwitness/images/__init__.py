"""The builder of the container images: what each is made of, made again only when that changed.

Belongs here: the container engine, the cache of what can be made again, base images, recipes, building and pushing.
Does not belong here: a node, brokers, the demo; an image that is shipped is built from nothing of theirs.
"""
