"""
Groups of points, by the longest edges of a tree
================================================

Without its longest edges a minimum spanning tree falls apart into groups, whatever their shape: clustering by single
linkage. ``reedsp.spanning_forest`` and ``reedsp.connected_components`` do it for points in any number.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.spatial import Delaunay

import reedsp

rng = np.random.default_rng(12)
turn = rng.random(1500) * np.pi
moons = np.stack([np.cos(turn), np.sin(turn)], axis=1)
moons[750:] = [1, 0.35] - moons[750:]
points = np.concatenate([moons + rng.normal(0, 0.05, moons.shape), rng.normal([0.5, 1.8], 0.15, (500, 2))])
triangles = Delaunay(points).simplices
edges = np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])), axis=0)
lengths = np.hypot(*(points[edges[:, 0]] - points[edges[:, 1]]).T)
graph = reedsp.Graph.from_edges(len(points), *edges.T, lengths, directed=False)

tree = reedsp.spanning_forest(graph)
kept = tree.weights < 0.2
pieces = reedsp.Graph.from_edges(len(points), *tree.ends[kept].T, directed=False)
groups = reedsp.connected_components(pieces).labels
names, sizes = np.unique(groups, return_counts=True)
print(f"{len(names)} groups; the largest have {', '.join(map(str, sorted(sizes)[:-4:-1]))} points")

# %%
# Each group in a colour of its own; what is left alone is grey.

figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
large = names[np.argsort(sizes)[::-1][:3]]
axes.scatter(*points.T, s=4, color="0.7")
for name in large:
    axes.scatter(*points[groups == name].T, s=4)
axes.set(aspect="equal", xticks=[], yticks=[])
plt.show()
