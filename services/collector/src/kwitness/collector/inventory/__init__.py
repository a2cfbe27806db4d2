"""Who is there: client instances, brokers, software seen; and what that means for each subscription."""
