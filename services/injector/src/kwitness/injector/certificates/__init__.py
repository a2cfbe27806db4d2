"""The certificate that the webhook serves: from a folder that others fill, or from a Secret that the injector fills.

In the second case each certificate has an authority of its own, whose key is thrown away as soon as it has signed. API
servers learn the authority of the next certificate before it is used, and know the former one's for a while after.
"""
