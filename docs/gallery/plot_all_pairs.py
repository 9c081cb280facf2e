"""
All pairs, and what they look like
==================================

``reedsp.apsp`` finds the distances between all pairs of vertices and, if asked, a path for each. Small worlds (Watts
and Strogatz, 1998): a ring, a few of whose edges lead anywhere, has short paths between almost all of its vertices.
"""

import networkx as nx
import numpy as np
from matplotlib import pyplot as plt

import reedsp

shares = [0, 0.01, 0.1]
worlds = [reedsp.apsp(reedsp.Graph.from_networkx(nx.watts_strogatz_graph(600, 6, share, seed=1))) for share in shares]
for share, world in zip(shares, worlds, strict=True):
    print(f"{share:>4.0%} of edges lead anywhere: {world.dist.mean():.1f} steps, {world.dist.max():.0f} at most")

# %%
# The three matrices, in the same colours.

figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for axes, share, world in zip(panels, shares, worlds, strict=True):
    picture = axes.imshow(world.dist, vmax=np.max(worlds[0].dist))
    axes.set(title=f"{share:.0%}", xticks=[], yticks=[])
figure.colorbar(picture, ax=panels, label="steps")
plt.show()
