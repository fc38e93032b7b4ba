"""The environments: PettingZoo's AEC, gymnasium.Env and VectorEnv, their opponents and rewards."""
