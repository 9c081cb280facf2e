"""
When a forest fire crosses
==========================

Cells of a grid are trees with some probability, and fire goes from neighbour to neighbour. Around 0.593 the largest
component suddenly spans the grid: percolation, seen by ``reedsp.connected_components``.
"""

import numpy as np
from matplotlib import pyplot as plt

import reedsp

side = 300
number = np.arange(side * side).reshape(side, side)
pairs = np.concatenate(
    [
        np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2),
        np.stack([number[:-1], number[1:]], -1).reshape(-1, 2),
    ]
)
luck = np.random.default_rng(3).random(side * side)


def largest(density):
    """Return how many cells belong to the largest component, and which."""
    tree = luck < density
    joined = pairs[tree[pairs].all(axis=1)]
    labels = reedsp.connected_components(reedsp.Graph.from_edges(side * side, *joined.T, directed=False)).labels
    name = np.bincount(labels[tree]).argmax()
    return tree, tree & (labels == name)


densities = np.linspace(0.4, 0.8, 21)
shares = [burnt.sum() / tree.sum() for tree, burnt in map(largest, densities)]

# %%
# Below the threshold, above it, and the share of the largest component.

figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for axes, density in zip(panels, (0.55, 0.62), strict=False):
    tree, burnt = largest(density)
    axes.imshow((tree.astype(int) + burnt).reshape(side, side), cmap="YlGnBu_r", vmin=0, vmax=2)
    axes.set(title=f"density {density}", xticks=[], yticks=[])
panels[2].plot(densities, shares, "o-")
panels[2].axvline(0.5927, color="0.6", ls=":")
panels[2].set(xlabel="density", ylabel="share of the largest")
plt.show()
