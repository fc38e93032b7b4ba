"""Public names of `wizard_env`, and their modules; `__init__.py` loads each when it is first used."""

from .actions import ACTIONS as ACTIONS
from .actions import NUM_ACTIONS as NUM_ACTIONS
from .actions import IllegalAction as IllegalAction
from .actions import action_id as action_id
from .actions import action_name as action_name
from .compiled.threads import get_num_threads as get_num_threads
from .compiled.threads import set_num_threads as set_num_threads
from .game import Game as Game
from .games import Games as Games
from .history.finished import read_history as read_history
from .loading import agent_names as agent_names
from .loading import load as load
from .observation.fields import FULL_SIZE as FULL_SIZE
from .observation.fields import FULL_STATE as FULL_STATE
from .observation.fields import HIGHS as HIGHS
from .observation.fields import HISTORY as HISTORY
from .observation.fields import OBS_SIZE as OBS_SIZE
from .observation.fields import OBSERVATION as OBSERVATION
from .observation.fields import SLICES as SLICES
from .observation.fields import unpack as unpack
from .observation.readable import Round as Round
from .records import RecordError as RecordError
from .records import Transcript as Transcript
from .records import parse_position as parse_position
from .records import position as position
from .records import read_records as read_records
from .records import record as record
from .records import replay as replay
from .records import transcribe as transcribe
from .records import write_records as write_records
from .render import Scene as Scene
from .rules import Rules as Rules
from .sampling import sample_legal as sample_legal
from .sampling import sample_softmax as sample_softmax
from .view import Agent as Agent
from .view import View as View
from .view import printed_actions as printed_actions
from .view import reorder_actions as reorder_actions

__all__: list[str]
__version__: str
