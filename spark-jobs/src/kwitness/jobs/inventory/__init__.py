"""What one record says about clients, and how two things said about one client become one. Pure; knows no Spark."""
