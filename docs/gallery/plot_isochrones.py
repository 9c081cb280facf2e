"""
Who is within half an hour
==========================

A cutoff ends a search where distances exceed it: the less a search looks at, the sooner it is done. Here the streets
of a town are a grid, the middle of which is quick, and the times from a fire station are drawn by bands of ten
minutes.
"""

import numpy as np
from matplotlib import pyplot as plt

import reedsp

side = 200
rng = np.random.default_rng(7)
row, column = np.divmod(np.arange(side * side), side)
quick = np.hypot(row - side / 2, column - side / 2) < side / 4
seconds = rng.integers(10, 30, side * side) * np.where(quick, 1, 2)  # to cross a block
right, down = np.flatnonzero(column < side - 1), np.flatnonzero(row < side - 1)
source = np.concatenate([right, down])
target = np.concatenate([right + 1, down + side])
town = reedsp.Graph.from_edges(side * side, source, target, (seconds[source] + seconds[target]) // 2, directed=False)

station = 60 * side + 70
near = reedsp.sssp(town, station, cutoff=30 * 60)
print(f"{np.isfinite(near.dist).sum():,} of {town.n:,} crossings within half an hour")

# %%
# What is not reached within the cutoff is infinitely far, and stays white.

figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
minutes = near.dist.reshape(side, side) / 60
bands = axes.contourf(
    np.where(np.isfinite(minutes), minutes, np.nan), levels=[0, 10, 20, 30], colors=["#08519c", "#6baed6", "#deebf7"]
)
axes.plot(station % side, station // side, "o", color="crimson")
axes.set(aspect="equal", xticks=[], yticks=[])
figure.colorbar(bands, label="minutes", shrink=0.8)
plt.show()
