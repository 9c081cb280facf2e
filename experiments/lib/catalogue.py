"""Every experiment there is: a paper after the other, then what goes beyond, and what was added later."""

from __future__ import annotations

from experiments.beyond import (
    betweenness,
    breadth_first,
    contraction,
    flows,
    largest,
    near_far_settings,
    negative_weights,
    new_york,
    predecessors,
    several_devices,
    single_source,
)
from experiments.busato_bombieri import (
    balance,
    breadth_first_sources,
    breadth_first_techniques,
    lazy_minimum,
    representations,
    shortest_path_techniques,
)
from experiments.calls import distance_statistics, first_calls, networkx_backend, phases, small_calls, whole_calls
from experiments.dulle import components, counted, forests, matching, pram, pram_programs, sorting, trees
from experiments.lib.experiment import Experiment
from experiments.lund_smith import ceilings, density, floyd_warshall
from experiments.many_machines import clusters, many_workers
from experiments.thesis import (
    accesses,
    figure_6_1,
    figure_6_2,
    figure_6_3,
    graph_families,
    input_parallel,
    memory_cap,
    min_plus,
    negative_cycles,
    output_parallel,
    scan_trace,
    scans,
    transfers,
)
from experiments.tmm import cost_model_fit, cost_model_searches, source_a_group, tmm_algorithms, tmm_machine

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
        accesses,
        negative_cycles,
        floyd_warshall,
        ceilings,
        density,
        trees,
        sorting,
        components,
        forests,
        matching,
        predecessors,
        largest,
        several_devices,
        new_york,
        single_source,
        contraction,
        near_far_settings,
        breadth_first,
        flows,
        betweenness,
        negative_weights,
        small_calls,
        whole_calls,
        distance_statistics,
        phases,
        first_calls,
        networkx_backend,
        pram,
        pram_programs,
        counted,
        balance,
        shortest_path_techniques,
        representations,
        lazy_minimum,
        breadth_first_techniques,
        breadth_first_sources,
        source_a_group,
        tmm_algorithms,
        tmm_machine,
        cost_model_fit,
        cost_model_searches,
        clusters,
        many_workers,
    )
}
