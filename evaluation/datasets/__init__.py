"""Data sets of decisions: agents play, and every decision becomes a row of Parquet."""
