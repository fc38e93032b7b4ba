"""Measuring players: the same deals for everybody, intervals, ratings, data sets and reports."""
