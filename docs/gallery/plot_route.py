"""
A route through a map
=====================

A map of random crossings, joined to their neighbours by Delaunay's triangulation. ``reedsp.sssp`` finds how far all of
them are from one corner; the route to the other corner is read off the tree of predecessors. Weights are whole
metres, so that every distance is exact.
"""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from scipy.spatial import Delaunay

import reedsp

rng = np.random.default_rng(2012)
places = rng.random((20_000, 2)) * 10_000  # metres
triangles = Delaunay(places).simplices
edges = np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])), axis=0)
metres = np.ceil(np.hypot(*(places[edges[:, 0]] - places[edges[:, 1]]).T)).astype(np.int64)
graph = reedsp.Graph.from_edges(len(places), *edges.T, metres, directed=False)

start, end = np.argmin(places.sum(axis=1)), np.argmax(places.sum(axis=1))
paths = reedsp.sssp(graph, start)
route = paths.path(end)
crow = np.hypot(*(places[end] - places[start]))
print(f"{paths.dist[end]:,.0f} m by {len(route) - 1} roads; as the crow flies {crow:,.0f} m")

# %%
# The tree of all shortest paths, and in it the route.

figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
child = np.flatnonzero(paths.pred >= 0)
tree = LineCollection(
    np.stack([places[paths.pred[child]], places[child]], axis=1), array=paths.dist[child] / 1000, lw=0.6
)
axes.add_collection(tree)
axes.plot(*places[route].T, color="crimson", lw=2)
axes.set(aspect="equal", xlim=(0, 10_000), ylim=(0, 10_000), xticks=[], yticks=[])
figure.colorbar(tree, label="kilometres from the corner", shrink=0.8)
plt.show()
