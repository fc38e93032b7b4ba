"""Measuring players: the same deals for all, intervals, ratings, data sets and reports."""
