"""
Out of a maze, breadth first
============================

A perfect maze is a spanning tree of a grid: ``reedsp.spanning_forest`` of random weights draws one. ``reedsp.bfs``
then counts the steps from the entrance and finds the way out.
"""

import numpy as np
from matplotlib import pyplot as plt

import reedsp

side = 40
number = np.arange(side * side).reshape(side, side)
walls = np.concatenate(
    [
        np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2),
        np.stack([number[:-1], number[1:]], -1).reshape(-1, 2),
    ]
)
weights = np.random.default_rng(8).permutation(len(walls))
forest = reedsp.spanning_forest(reedsp.Graph.from_edges(side * side, *walls.T, weights, directed=False))
ways = forest.ends

maze = reedsp.Graph.from_edges(side * side, *ways.T, directed=False)
search = reedsp.bfs(maze, 0)
out = search.path(side * side - 1)
print(f"{len(out) - 1} steps from the entrance to the exit, {search.levels.max()} to the farthest room")

# %%
# Rooms in the colour of their level, and the way out.

picture = np.full((2 * side + 1, 2 * side + 1), np.nan)
row, column = np.divmod(np.arange(side * side), side)
picture[2 * row + 1, 2 * column + 1] = search.levels
(r0, r1), (c0, c1) = row[ways].T, column[ways].T
picture[r0 + r1 + 1, c0 + c1 + 1] = search.levels[ways].mean(axis=1)
figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
axes.imshow(picture, cmap="viridis")
axes.plot(2 * column[out] + 1, 2 * row[out] + 1, color="crimson", lw=2)
axes.set_facecolor("black")
axes.set(xticks=[], yticks=[])
plt.show()
