"""
One import changed: SciPy and networkx
======================================

The functions of ``scipy.sparse.csgraph`` are in ``reedsp.csgraph``, with the same arguments and the same answers;
networkx finds the same paths with ``backend="reedsp"``. Which is sooner depends on the size: small graphs are left to
SciPy.
"""

import time

import networkx as nx
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from matplotlib import pyplot as plt

import reedsp.csgraph

sizes, seconds = [1_000, 10_000, 100_000], {"scipy.sparse.csgraph": [], "reedsp.csgraph": []}
for n in sizes:
    rng = np.random.default_rng(n)
    ends = rng.integers(0, n, (2, 10 * n))
    matrix = scipy.sparse.csr_array((rng.integers(1, 1000, 10 * n).astype(float), ends), (n, n))
    answers = []
    for name, module in zip(seconds, (scipy.sparse.csgraph, reedsp.csgraph), strict=True):
        module.dijkstra(matrix.copy(), indices=0)  # what is done only once is not counted
        fresh = matrix.copy()
        begun = time.perf_counter()
        answers.append(module.dijkstra(fresh, indices=0))
        seconds[name].append(time.perf_counter() - begun)
    assert np.array_equal(*answers)

# %%
# One call each, on the machine that built this page.

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for name, taken in seconds.items():
    axes.loglog(sizes, np.multiply(taken, 1e3), "o-", label=name)
axes.set(xlabel="vertices, with ten edges each", ylabel="milliseconds a call")
axes.legend()
plt.show()

# %%
# The same for networkx.

graph = nx.gnp_random_graph(300, 0.05, seed=1)
lengths = nx.single_source_shortest_path_length(graph, 0)
assert nx.single_source_shortest_path_length(graph, 0, backend="reedsp") == lengths
print(f"{len(lengths)} vertices within {max(lengths.values())} steps, by both")
