"""Learning and measuring: self-play, evaluation."""
