"""The graph: validated, immutable, in compressed rows; and which vertices an argument means."""

from reedsp.graph.graph import Graph as Graph
