"""What the kernels of cl/experiments/accesses.cl and banks.cl read, and what numpy says to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.thesis.access_kernels import GLOBAL, LOCAL, LOCAL_WORDS, WORDS, Access, Chains, Memory
from reedsp.device.device import Device

GROUP, GROUPS, TABLE = 8, 6, 1 << 14
TILE, SIDE = 8, 24
Made = Callable[[Memory], Access]


def accesses() -> Iterator[tuple[str, str, Made, int]]:
    """Yield a name, a file, an access and a number of steps, for each kind of access."""
    for size in WORDS:
        yield f"words of {size}", GLOBAL, lambda memory, size=size: memory.words(size), 5
    for shift, vload in ((0, False), (1, False), (2, True)):
        name = f"records, shift {shift}, vload {vload}"
        length = 4 if vload else 3
        yield (
            *(name, GLOBAL),
            lambda memory, shift=shift, vload=vload, length=length: memory.records(length, 7, shift, vload),
            5,
        )
    for stride, factor, shift in ((1, 1, 0), (4, 1, 0), (1, 5, 0), (3, 3, 2)):
        name = f"neighbours, stride {stride}, factor {factor}, shift {shift}"
        numbers = (stride, factor, shift)
        yield name, GLOBAL, lambda memory, numbers=numbers: memory.neighbours(*numbers), 5
    for down, across in ((50, 1), (1, 40)):
        yield (
            *(f"lines, down {down}, across {across}", GLOBAL),
            lambda memory, down=down, across=across: memory.lines(40, down, across, 50),
            50,
        )
    for words in (1, 16):
        yield f"{words} words raised", GLOBAL, lambda memory, words=words: memory.raised(words), 3
    for staged in (False, True):
        yield f"the same words, staged {staged}", LOCAL, lambda memory, staged=staged: memory.same(staged), 3
    for stride, steps in ((1, 5), (33, 5), (32, LOCAL_WORDS + 3)):
        name = f"banks, stride {stride}, {steps} steps"
        yield name, LOCAL, lambda memory, stride=stride: memory.local(stride), steps
    for pad in (0, 1):
        yield f"transposition, pad {pad}", LOCAL, lambda memory, pad=pad: memory.transposed(SIDE, TILE, pad), 1
        for transposed in (False, True):
            yield (
                *(f"product, pad {pad}, transposed {transposed}", LOCAL),
                lambda memory, pad=pad, transposed=transposed: memory.product(SIDE, TILE, pad, transposed),
                1,
            )


def is_right(device: Device, make: Made, steps: int) -> bool:
    """Whether all results are those of numpy, after one launch and after the next one."""
    access = make(Memory(device, TABLE, GROUP * GROUPS, GROUP))
    launch, check = access.launch(steps), access.check(steps, every=True)
    found = []
    for _ in range(2):
        launch.queue()
        found.append(check())
    return steps <= access.most_steps and all(found)


def follows(device: Device) -> bool:
    """Whether chains go along the cycle, and go on."""
    access = Chains(device, TABLE).followed(GROUP * GROUPS, GROUP)
    launch, check = access.launch(5), access.check(5, launches=2, every=True)
    found = []
    for _ in range(3):
        launch.queue()
        launch.queue()
        found.append(check())
    return all(found)


def checks() -> Iterator[tuple[str, str, Callable[[Device], bool]]]:
    """Yield a name for each kind of access, its file, and what says whether it is right."""
    for name, file, make, steps in accesses():
        yield name, file, lambda device, make=make, steps=steps: is_right(device, make, steps)
    yield "chains", GLOBAL, follows
