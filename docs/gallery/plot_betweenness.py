"""
Who is between all the others
=============================

Betweenness counts, for each vertex, the shortest paths between others that pass it (Freeman, 1977; Brandes, 2001). In
the club of karate players that Zachary watched in 1977, the two that are most between others were those around whom
it split.
"""

import networkx as nx
from matplotlib import pyplot as plt

import reedsp

club = nx.karate_club_graph()
found = reedsp.betweenness(reedsp.Graph.from_networkx(club, weight=None)).to_dict()
first, second = sorted(found, key=found.get)[:-3:-1]
print(f"most between the others: {first} ({found[first]:.2f}) and {second} ({found[second]:.2f})")

# %%
# The larger, the more paths pass.

figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
side = ["#2c7fb8" if club.nodes[each]["club"] == "Mr. Hi" else "#fd8d3c" for each in club]
nx.draw_networkx(
    club,
    nx.spring_layout(club, seed=5),
    node_color=side,
    node_size=[60 + 2500 * found[each] for each in club],
    edge_color="0.75",
    font_size=8,
    ax=axes,
)
axes.axis("off")
plt.show()
