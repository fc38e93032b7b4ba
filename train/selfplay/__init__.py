"""What the learners share: the games of self-play, advantages, the loop, curves and checkpoints."""
