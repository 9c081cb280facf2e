"""Every experiment there is: the thesis, Lund and Smith, then what goes beyond."""

from __future__ import annotations

from experiments import (
    breadth_first,
    ceilings,
    figure_6_1,
    figure_6_2,
    figure_6_3,
    floyd_warshall,
    graph_families,
    input_parallel,
    largest,
    memory_cap,
    min_plus,
    near_far_settings,
    negative_cycles,
    negative_weights,
    networkx_backend,
    new_york,
    output_parallel,
    predecessors,
    scan_trace,
    scans,
    several_devices,
    single_source,
    transfers,
    whole_calls,
)
from experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    module.__name__.rpartition(".")[2]: module.EXPERIMENT
    for module in (
        figure_6_1,
        figure_6_2,
        figure_6_3,
        graph_families,
        output_parallel,
        input_parallel,
        scans,
        scan_trace,
        min_plus,
        memory_cap,
        transfers,
        negative_cycles,
        floyd_warshall,
        ceilings,
        predecessors,
        largest,
        several_devices,
        new_york,
        single_source,
        near_far_settings,
        breadth_first,
        negative_weights,
        whole_calls,
        networkx_backend,
    )
}
