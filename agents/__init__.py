"""The agents. Load one by name: `load("heuristic")`."""

from wizard_env.loading import agent_names, load
from wizard_env.view import Agent, View

__all__ = ["Agent", "View", "agent_names", "load"]
