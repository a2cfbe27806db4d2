"""UnusedTopics: who wrote and read each topic last, and which topics nobody uses, by which evidence."""
