"""Makes pages of rows of the index; nothing here asks a source."""
