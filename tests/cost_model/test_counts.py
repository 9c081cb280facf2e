"""Every number and every term of the counts: what is predicted is known to six digits, on recorded machines."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from reedsp.algorithms.all_pairs import lund_smith
from reedsp.cost_model import choose, counts, searches
from reedsp.cost_model.choose import predicted
from reedsp.cost_model.counts import Pairs
from reedsp.cost_model.families import Known, family
from reedsp.cost_model.searches import Searches
from reedsp.cost_model.work import seconds, total
from tests.support.machines import H200, MACHINES, POCL

SPARSE = Pairs(1000, 4000, 980, 3900, True, False, "int32", "int32", 8, False)
PAIRS = {
    "small": Pairs(10, 20, 8, 15, True, False, "int32", "uint16", 8, False),
    "sparse": SPARSE,
    "sparse, trees": SPARSE._replace(predecessors=True),
    "undirected": SPARSE._replace(directed=False),
    "wide": SPARSE._replace(search="int64", matrix="int64", predecessors=True, size=4),
    "negative": SPARSE._replace(negative=True),
    "negative, trees": SPARSE._replace(negative=True, predecessors=True),
    "thin": SPARSE._replace(n=5, reached=4.0, edges=2.0),
    "beyond local memory": SPARSE._replace(n=11_000),
    "large": SPARSE._replace(n=40_000),
}
SEARCHES = {
    "few": Searches(100, 300, True, 1, "int32", 8),
    "one": Searches(100_000, 800_000, True, 1, "int32", 8),
    "many": Searches(100_000, 800_000, True, 16, "int64", 8),
    "undirected": Searches(100_000, 800_000, False, 16, "int32", 4),
    "dense": Searches(2000, 4_000_000, True, 500, "int32", 8),
    "few reached": Searches(2000, 1900, True, 3, "int32", 8),
    "short rows": Searches(1000, 1200, True, 5000, "int32", 8),
    "negative": Searches(3000, 9000, True, 4, "int32", 8, negative=True),
    "negative, rounded": Searches(300, 900, True, 2, "float64", 8, negative=True),
    "added up": Searches(100_000, 800_000, True, 500, "int32", 8, stays=True),
    "scattered": Searches(100_000, 800_000, True, 1, "int32", 8, scattered=0.75),
}
OF_PAIRS = {  # Floyd-Warshall and Johnson, each on the three machines
    "small": (
        (0.000427592, 0.000429737, 0.000674314),
        (0.000320653, 0.000241799, 0.000502255),
    ),
    "sparse": (
        (0.0180774, 0.0179504, 0.00520346),
        (0.0174396, 0.0177069, 0.00263068),
    ),
    "sparse, trees": (
        (0.0245892, 0.0288485, 0.0059403),
        (0.0205559, 0.0208216, 0.00418058),
    ),
    "undirected": (
        (0.0180774, 0.0179504, 0.00520346),
        (0.0157855, 0.0160337, 0.00263068),
    ),
    "wide": (
        (0.042864, 0.0525771, 0.00630904),
        (0.0297368, 0.0373353, 0.00407698),
    ),
    "negative": (
        (0.0180774, 0.0179504, 0.00520346),
        (0.0255756, 0.0258442, 0.010631),
    ),
    "negative, trees": (
        (0.159812, 0.267894, 0.00782427),
        (0.16926, 0.277738, 0.0140649),
    ),
    "thin": (
        (0.00044483, 0.000447993, 0.000675343),
        (0.000311436, 0.000232561, 0.000493123),
    ),
    "beyond local memory": (
        (11.9793, 11.8679, 0.164477),
        (0.234151, 0.254432, 0.0696717),
    ),
    "large": (
        (546.485, 541.451, 4.29486),
        (1.24868, 1.49457, 0.737837),
    ),
}
# Near-far, Bellman-Ford in four ways, breadth-first search in two, arrays and bits on the machines; both on the host.
OF_SEARCHES = {
    "few": (
        (0.000612363, 0.000455295, 0.00116487),
        (0.00159095, 0.00136843, 0.00140859),
        (0.00170853, 0.00135065, 0.00184145),
        (0.0010283, 0.000871305, 0.000803662),
        (0.00061441, 0.000457366, 0.000804821),
        (0.000366919, 0.000288449, 0.00038707),
        (0.000306498, 0.000188137, 0.000285675),
        (0.000612912, 0.00045585, 0.00116487),
        (0.000612384, 0.000455317, 0.00116487),
        (0.000125469, 8.86284e-05),
    ),
    "one": (
        (0.00375881, 0.00371505, 0.00213332),
        (0.162346, 0.121266, 0.00327055),
        (0.0353064, 0.0348635, 0.00426777),
        (0.0928427, 0.0914512, 0.0409013),
        (0.0124969, 0.0123998, 0.351192),
        (0.00395722, 0.00400852, 0.00055379),
        (0.00354374, 0.00276825, 0.00212618),
        (0.552679, 0.558995, 0.00213332),
        (0.00379442, 0.00375108, 0.00213332),
        (0.0405979, 0.0292185),
    ),
    "many": (
        (0.0547609, 0.0566226, 0.00371025),
        (2.59153, 1.93425, 0.0433288),
        (0.558903, 0.551817, 0.0592844),
        (0.860633, 0.857366, 0.0409013),
        (0.107174, 0.108961, 0.351223),
        (0.030435, 0.0323017, 0.00661065),
        (0.0521225, 0.0414874, 0.00262811),
        (8.83748, 8.9411, 0.00371025),
        (0.0550458, 0.0569108, 0.00371025),
        (0.647991, 0.466394),
    ),
    "undirected": (
        (0.0496762, 0.0513229, 0.003459),
        (2.59153, 1.93425, 0.0433288),
        (0.558903, 0.551817, 0.0592844),
        (0.735676, 0.725645, 0.0409013),
        (0.0968897, 0.0981195, 0.351223),
        (0.030435, 0.0323017, 0.00661065),
        (0.0521225, 0.0414874, 0.00262811),
        (4.44104, 4.49356, 0.003459),
        (0.0499612, 0.0516111, 0.003459),
        (0.616053, 0.444037),
    ),
    "dense": (
        (1.32849, 1.34483, 0.0943618),
        (273.005, 203.896, 2.00608),
        (45.1941, 45.4284, 2.34489),
        (27.1637, 27.4783, 0.344945),
        (3.88737, 3.93336, 6.64776),
        (0.019455, 0.0206553, 0.161021),
        (7.58839, 5.66892, 0.0388546),
        (1.38338, 1.40036, 0.0943618),
        (1.3286, 1.34495, 0.0943618),
        (14.7923, 10.3626),
    ),
    "few reached": (
        (0.000625962, 0.000475633, 0.00118437),
        (0.00528958, 0.00407909, 0.00440061),
        (0.00567406, 0.003999, 0.00643346),
        (0.00149829, 0.00134674, 0.00102187),
        (0.000700791, 0.000551329, 0.00090405),
        (0.00040492, 0.000333241, 0.000989962),
        (0.000339026, 0.000222021, 0.000305754),
        (0.000691832, 0.000542267, 0.00118437),
        (0.000629809, 0.000479525, 0.00118437),
        (0.00018258, 0.000175806),
    ),
    "short rows": (
        (0.046292, 0.0522417, 0.00752715),
        (7.3662, 5.62788, 5.80338),
        (8.03335, 5.47076, 8.90831),
        (0.418574, 0.423255, 0.00525496),
        (0.0859865, 0.0923961, 0.00366141),
        (0.105692, 0.111833, 1.31866),
        (0.0332715, 0.0329358, 0.00210896),
        (0.183522, 0.191062, 0.00752715),
        (0.0479872, 0.0539565, 0.00752715),
        (0.353869, 0.287708),
    ),
    "negative": (
        (0.000799415, 0.000657775, 0.00119399),
        (0.0111377, 0.00841799, 0.00593566),
        (0.00852739, 0.00619531, 0.00877862),
        (0.00239618, 0.00225473, 0.00129737),
        (0.000926259, 0.000786065, 0.00135673),
        (0.000537136, 0.000473566, 0.00132919),
        (0.000466204, 0.000326757, 0.000316047),
        (0.00178747, 0.00165728, 0.00119399),
        (0.000806461, 0.000664903, 0.00119399),
        (0.0697155, 0.0488968),
    ),
    "negative, rounded": (
        (0.000618762, 0.000462326, 0.00116852),
        (0.00307006, 0.00250082, 0.00255313),
        (0.00327307, 0.00240942, 0.00359838),
        (0.00106936, 0.000912842, 0.000831666),
        (0.000624904, 0.000468539, 0.000841364),
        (0.000381815, 0.000303959, 0.000642102),
        (0.000313208, 0.000193961, 0.00028974),
        (0.000628643, 0.000472321, 0.00116852),
        (0.000618874, 0.000462439, 0.00116852),
        (0.002304, 0.0016176),
    ),
    "added up": (
        (1.48475, 1.54027, 0.0207303),
        (80.9732, 60.4332, 1.33588),
        (17.4536, 17.2322, 1.83449),
        (22.9593, 22.6506, 0.152736),
        (3.00937, 3.05256, 1.3291),
        (0.940365, 1.00108, 0.186342),
        (1.59127, 1.26369, 0.008956),
        (138.715, 140.36, 0.0207303),
        (1.49365, 1.54928, 0.0207303),
        (20.2466, 14.5726),
    ),
    "scattered": (
        (0.00772992, 0.0065455, 0.00213332),
        (0.162346, 0.121266, 0.00327055),
        (0.0353064, 0.0348635, 0.00426777),
        (0.0928427, 0.0914512, 0.0409013),
        (0.0124969, 0.0123998, 0.351192),
        (0.00395722, 0.00400852, 0.00055379),
        (0.00354374, 0.00276825, 0.00212618),
        (0.55665, 0.561826, 0.00213332),
        (0.00776553, 0.00658153, 0.00213332),
        (0.0405979, 0.0292185),
    ),
}
BYTES = {  # of a matrix, and of searches on a CPU and on a GPU
    "small": (24_696, 1040, 4240),
    "sparse": (8_420_608, 4_080_000, 40_040_000),
    "sparse, trees": (24_420_608, 20_080_000, 56_040_000),
    "wide": (40_825_216, 24_152_000, 76_072_000),
    "beyond local memory": (529_825_024, 17_324_000, 1_342_120_000),
    "large": (6_563_872_000, 18_592_000, 8_000_352_000),
}
BYTES_OF_SEARCHES = {
    "few": (7200, 7200),
    "one": (11_200_000, 11_200_000),
    "many": (44_000_000, 77_600_000),
    "added up": (18_400_000, 71_200_000),
}
BYTES_OF_LEVELS = {"few": [5600], "one": [9_600_000], "many": [19_200_000]}  # of five rows at a time
PASSING = {"small": (1.04971e-07, 2.92641e-08), "sparse": (0.00419883, 0.000585283), "wide": (0.00839767, 0.00117057)}


COUNTS = (
    *(searches.near_far, searches.bellman_ford, searches.bellman_ford_by_changes, searches.bellman_ford_in_groups),
    *(searches.bellman_ford_by_queue, searches.breadth_first, searches.breadth_first_in_groups),
    *(searches.dijkstra_by_array, searches.near_far_by_bits),
)


def found() -> Iterator[tuple[str, Any]]:
    """Yield everything that the counts say."""
    for name, pairs in PAIRS.items():
        for method in counts.METHODS:
            yield f"{name}, {method}", [predicted(pairs, known, method) for known in MACHINES.values()]
    for name, asked in SEARCHES.items():
        for count in COUNTS:
            times = [total(count(asked, known)[0], known.machine) for known in MACHINES.values()]
            yield f"{name}, {count.__name__}", times
        yield f"{name}, host", [searches.on_host(asked), searches.levels_on_host(asked)]
    for name in BYTES:
        pairs = PAIRS[name]
        of_searches = (counts.bytes_of_searches(pairs, known) for known in (POCL, H200))
        yield f"{name}, bytes", [counts.bytes_of_matrix(pairs), *of_searches]
    for name in BYTES_OF_SEARCHES:
        yield f"{name}, bytes of searches", [searches.bytes_of(SEARCHES[name], known, 16) for known in (POCL, H200)]
    for name in BYTES_OF_LEVELS:
        yield f"{name}, bytes of levels", [searches.bytes_of_levels(SEARCHES[name], 5)]
    for name in PASSING:
        times = [seconds(counts.passing(PAIRS[name], known), known.machine) for known in (POCL, H200)]
        yield f"{name}, passing", times


def expected() -> Iterator[Any]:
    for values in (*OF_PAIRS.values(), *OF_SEARCHES.values()):
        yield from values
    for table in (BYTES, BYTES_OF_SEARCHES, BYTES_OF_LEVELS, PASSING):
        yield from table.values()


def test_what_is_predicted() -> None:
    for (name, values), figures in zip(found(), expected(), strict=True):
        assert values == pytest.approx(figures, rel=1e-5), name


OLDER = [  # seconds that were measured (experiments/results/*/floyd_warshall.csv)
    (H200, 16_384, {"harish-narayanan": 20.8, "katz-kider": 2.01, "optimized-blocked": 0.882, "staged-load": 0.706}),
    (POCL, 2048, {"harish-narayanan": 4.95, "katz-kider": 3.33, "optimized-blocked": 1.69, "staged-load": 2.11}),
]


@pytest.mark.parametrize(("known", "n", "measured"), OLDER, ids=["H200", "PoCL"])
def test_older_kernels_of_floyd_warshall(known: Known, n: int, measured: dict[str, float]) -> None:
    pairs = SPARSE._replace(n=n, search="float32", matrix="float32", size=4)
    for kernel, figure in measured.items():
        took, factor = choose.expected(pairs, known, "floyd-warshall", own=False, on_host=False, kernel=kernel)
        assert 1 / 1.5 < took / figure < 1.5, kernel
        assert factor == 2
    assert set(measured) == set(lund_smith.LADDER)
    took, _ = choose.expected(pairs, known, "floyd-warshall", own=True, on_host=False)
    assert took == predicted(pairs, known, "floyd-warshall") < min(measured.values())


THRESHOLDS = ("LARGEST_TEAM", "TEAM_EDGES", "PARTS", "LEAST_PART", "ON_CPU", "_SMALL")


def test_thresholds() -> None:
    assert counts.bytes_of_searches(SPARSE._replace(n=20_000), POCL) == 17_712_000  # 209 rows at a time

    def steps(known: Known, m: int, rows: int = 1) -> float:
        return searches.near_far(Searches(1000, m, True, rows, "int32", 8), known)[0][1].steps

    assert steps(POCL, (1 << 18) - 1) > 1.9 * steps(POCL, 1 << 18)
    waits = [searches.near_far(Searches(10_000, 9, True, rows, "int32", 8), H200)[0][1].waits for rows in (1, 133)]
    assert waits == [2000, 18_000]
    many, some = (family("cpu", units, 1 << 36, True) for units in (64, 8))
    assert steps(many, 1 << 20) == steps(some, 1 << 20)
    assert steps(some, 100, 3) == steps(POCL, 100)
    assert steps(many, 1 << 20, 64) == steps(some, 1 << 20, 8)

    thin = SEARCHES["few reached"]._replace(n=3000, m=3000)
    small = searches.on_host(thin)
    assert searches.on_host(thin._replace(n=3001, m=3001)) > 2 * small
    assert searches.on_host(thin._replace(m=3001)) > 2 * small
    assert searches.on_host(thin._replace(directed=False)) > 2 * small


def numbers(module: ModuleType) -> Iterator[Any]:
    for name, value in vars(module).items():
        if isinstance(value, (int, float)) and name.isupper() and name not in THRESHOLDS:
            yield pytest.param(module, name, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize(("module", "name"), [*numbers(counts), *numbers(searches)])
def test_every_number_matters(module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(found())
    factors = [count(SEARCHES["scattered"], POCL)[1] for count in (searches.near_far, searches.bellman_ford)]
    monkeypatch.setattr(module, name, type(getattr(module, name))(2 * getattr(module, name)))
    after = [count(SEARCHES["scattered"], POCL)[1] for count in (searches.near_far, searches.bellman_ford)]
    assert list(found()) != before or after != factors
