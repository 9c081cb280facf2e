"""``reedsp flow``: the most that can flow between two vertices of a graph in a file, and a minimum cut."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from reedsp.cli.graph import print_graph, read_with_summary, vertex_called
from reedsp.cli.options import DeviceName, GraphFile, Json, Quiet, Relabel
from reedsp.cli.output import elided, name_text, print_end, print_json, refuse, stated_failures, the_only
from reedsp.system.progress_bar import LATE, search_bar

_SHOWN = 8  # edges of the cut

_Source = Annotated[
    list[str], typer.Option("--source", "-s", metavar="VERTEX", show_default=False, help="Vertex from which it flows.")
]
_Target = Annotated[
    list[str], typer.Option("--target", "-t", metavar="VERTEX", show_default=False, help="Vertex to which it flows.")
]


def flow(
    file: GraphFile,
    source: _Source,
    target: _Target,
    device: DeviceName = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verify: Annotated[bool, typer.Option("--verify", help="Also prove the answer on the device.")] = False,
    relabel: Relabel = False,
) -> None:
    """Find the most that can flow from one vertex of a graph in a file to another, and a minimum cut.

    Weights are the capacities of the edges: integers, none of them negative. An infinite one is no edge.
    """
    with stated_failures():
        begins, ends = the_only(source, "--source"), the_only(target, "--target")
        import reedsp

        graph, summary = read_with_summary(file, relabel)
        start, end = vertex_called(graph, begins, "--source"), vertex_called(graph, ends, "--target")
        if start == end:
            refuse("is the source", "--target")
        started = time.perf_counter()
        with search_bar(1, "rounds", after=LATE) as progress:
            found = reedsp.maximum_flow(graph, start, end, device=device, progress=progress)
        seconds = time.perf_counter() - started
        if verify:
            found.verify(device)
        cut = found.cut()
        tails = [int(graph.indptr.searchsorted(edge, side="right")) - 1 for edge in cut.edges.tolist()]
        edges = [
            [graph.name(tail), graph.name(int(graph.indices[edge]))]
            for tail, edge in zip(tails, cut.edges, strict=True)
        ]
        summary |= {"source": start, "target": end, "value": found.value, "cut": edges}
        summary |= {"source_side": len(cut.source_side), "method": found.method, "device": found.device}
        summary |= {"seconds": seconds, "verified": verify}
        if as_json:
            print_json({**summary, "stats": found.stats})
        elif not quiet:
            print_graph(summary)
            print(f"flow      {found.value:,} from {name_text(start)} to {name_text(end)}")
            shown = ", ".join(elided(edge) for edge in edges[:_SHOWN])
            more = f", and {len(edges) - _SHOWN:,} more" if len(edges) > _SHOWN else ""
            print(f"cut       {len(edges):,} edges{': ' if edges else ''}{shown}{more}")
            verified = "no edge carries too much, all that flows arrives, and the cut is as small as the flow"
            print_end(summary, verified, None)
