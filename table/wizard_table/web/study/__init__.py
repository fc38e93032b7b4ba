"""Going through played games, decision by decision."""
