"""A scripted model API: two vendors' protocols over real sockets, with no model behind them.

Its answers come from a script of a test, or from a few lines of code that do plain work
and read like a judge who only compares words. Whatever it says, it says as a model whose
name begins with `scripted-demo` (unless a test serves others), so that no report can be
taken for a measurement.
"""

from demo.model_api.asked import Asked
from demo.model_api.models import CLAUDE_LIKE, DEMO_MODELS, JUDGE_MODEL, MODEL, ServedModel
from demo.model_api.scripted_model_api import ModelServer, ScriptedModelApi
from demo.model_api.steps import Call, Drop, ErrorInStream, Gate, HttpError, Reply, Stall

__all__ = [
    "CLAUDE_LIKE",
    "DEMO_MODELS",
    "JUDGE_MODEL",
    "MODEL",
    "Asked",
    "Call",
    "Drop",
    "ErrorInStream",
    "Gate",
    "HttpError",
    "ModelServer",
    "Reply",
    "ScriptedModelApi",
    "ServedModel",
    "Stall",
]
