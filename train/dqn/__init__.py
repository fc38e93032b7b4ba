"""Deep Q-networks, as published for Wizard: the learner "dqn"."""
