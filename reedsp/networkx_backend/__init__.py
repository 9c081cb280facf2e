"""The backend that networkx dispatches to."""

from reedsp.networkx_backend.functions import backend as backend
