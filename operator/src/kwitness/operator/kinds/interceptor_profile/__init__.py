"""InterceptorProfile: interceptors in clients' pods, and what they report."""
