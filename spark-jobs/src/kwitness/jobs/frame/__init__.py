"""What all jobs share: shapes, one micro-batch, tables, offsets, losses."""
