"""The parts that learners share: the games of self-play, advantages, the loop, curves and checkpoints."""
