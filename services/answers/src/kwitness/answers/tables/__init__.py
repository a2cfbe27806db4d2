"""Opens the Delta tables of AnalyticsJobs, in folders, object stores and at running drivers, without Spark."""
