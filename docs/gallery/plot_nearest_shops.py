"""
The nearest of several, by road
===============================

``min_only=True`` searches from all sources at once and says which is nearest to each vertex: Voronoi's diagram, with
the distances of a network instead of those in the air. One search does it, however many sources there are.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.spatial import Delaunay

import reedsp

rng = np.random.default_rng(31)
places = rng.random((30_000, 2))
places = places[np.abs(places[:, 1] - 0.5 - 0.08 * np.sin(9 * places[:, 0])) > 0.02]  # a river runs through it
triangles = Delaunay(places).simplices
edges = np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])), axis=0)
lengths = np.hypot(*(places[edges[:, 0]] - places[edges[:, 1]]).T)
kept = (lengths < 0.03) | (rng.random(len(edges)) < 0.005)  # few bridges
weights = np.ceil(lengths * 1e6).astype(np.int64)
graph = reedsp.Graph.from_edges(len(places), *edges[kept].T, weights[kept], directed=False)

shops = rng.choice(len(places), 14, replace=False)
near = reedsp.sssp(graph, shops, min_only=True)

# %%
# Each crossing in the colour of its shop.

figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
colour = np.searchsorted(np.sort(shops), near.nearest)
axes.scatter(*places.T, c=colour, s=1.5, cmap="tab20", lw=0)
axes.plot(*places[shops].T, "k*", ms=11, mec="white")
axes.set(aspect="equal", xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
plt.show()
