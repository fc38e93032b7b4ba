"""Programs in any language that play a seat."""

from wizard_env.agents.external.agent import MAX_RESTARTS, ExternalAgent, describe
from wizard_env.agents.external.program import PROTOCOL, VERSION

__all__ = ["MAX_RESTARTS", "PROTOCOL", "VERSION", "ExternalAgent", "describe"]
