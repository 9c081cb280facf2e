"""A plan as text: what the host does, and what became of each optimisation."""

from __future__ import annotations

from reedsp.pram.compiler import proofs
from reedsp.pram.compiler.kernels import Method
from reedsp.pram.compiler.plan import (
    OPTIMIZATIONS,
    Branch,
    HostAssign,
    HostIf,
    HostWhile,
    Launch,
    Loop,
    Plan,
    Repeat,
    Step,
)
from reedsp.pram.text import declarations, written
from reedsp.pram.tree import Variable


def host_program(plan: Plan, method: Method) -> str:
    """Return what the host does, as Dulle writes it in Algorithms 4 and 5."""
    tree = plan.tree
    letter = "B" if method == "bitset" else "L"
    sets = [f"{letter}{level}" for level in range(plan.levels)]
    lines = declarations(tree)
    if plan.levels > 1:
        lines.append(", ".join(f"{each}[n]" for each in sets))
    if method == "list" and plan.levels > 1:
        lines.append("n0 ← n")

    def worksize(level: int) -> str:
        return "{0, ..., n-1}" if method == "bitset" or level == 0 else f"{{0, ..., n{level}-1}}"

    def launch(step: Launch, indent: str) -> list[str]:
        names = list(dict.fromkeys(each.name for each, writes in proofs.accesses(step.body, tree) if writes))
        active = f"({sets[step.level]})" if step.level else ""  # of the first set are all processors
        bounded = step.bounds if method == "bitset" or step.level == 0 else ()
        bounds = " or ".join(dict.fromkeys(written(each.condition, tree) for each in bounded))
        enqueue = (
            f"{indent}enqueue {step.name}{active} on {worksize(step.level)}{', as far as ' * bool(bounds)}{bounds}"
        )
        if step.placing == "in place" or not names:
            return [enqueue]
        copies = [f"{indent}{line}" for name in names if (line := copy(step, name, bool(bounds)))]
        swaps = [f"{indent}swap {name} ↔ {name}_next" for name in names]
        found = [*copies, enqueue, *swaps]
        if step.placing == "at launch":
            which = ", ".join(names)
            copied, swapped = ([f"    {line}" for line in each] for each in (copies, swaps))
            found = [f"{indent}if {which} cannot stay in place:", *copied, enqueue]
            found += [f"{indent}if {which} did not stay in place:", *swapped]
        return found

    def copy(step: Launch, name: str, is_bounded: bool) -> str:
        own = step.own_cell()
        if own is None or own.name != name:
            return f"copy {name} to {name}_next"
        is_all = not is_bounded and tree.globals[name].size == Variable("n", "int64")
        return "" if is_all else f"copy {name} to {name}_next, if a cell has no processor"

    def branch(step: Branch, indent: str) -> str:
        if method == "bitset":
            return f"{indent}enqueue {step.name}({sets[step.target]}, {sets[step.source]}) on {worksize(step.source)}"
        return f"{indent}n{step.target} ← FILTER_{step.name}({sets[step.target]}, {sets[step.source]}, n{step.source})"

    def block(steps: tuple[Step, ...], indent: str) -> None:
        inner = indent + "    "
        for step in steps:
            if isinstance(step, Launch):
                lines.extend(launch(step, indent))
            elif isinstance(step, Branch):
                lines.append(branch(step, indent))
            elif isinstance(step, HostAssign):
                lines.append(f"{indent}{step.target} ← {written(step.value, tree)}")
            elif isinstance(step, HostIf):
                lines.append(f"{indent}if {written(step.condition, tree)}:")
                block(step.body, inner)
            elif isinstance(step, HostWhile):
                lines.append(f"{indent}while {written(step.condition, tree)}:")
                block(step.body, inner)
            elif isinstance(step, Loop):
                test = f"REDUCE_or({sets[step.level]})" if method == "bitset" else f"n{step.level} > 0"
                lines.append(f"{indent}while {test}:")
                block(step.body, inner)
            else:
                lines.append(f"{indent}{_times(step, plan)}:")
                block(step.body, inner)

    block(plan.steps, "")
    return "\n".join(lines) + "\n"


def _times(step: Repeat, plan: Plan) -> str:
    start, stop = (written(each, plan.tree) for each in (step.range.start, step.range.stop))
    often = f"len(range({start}, {stop}, {step.range.step}))"
    known = all(proofs.is_known(each, plan.tree, plan.known) for each in (step.range.start, step.range.stop))
    return f"repeat {often} times" if known else f"repeat {often} times, for p = 0 or p = n-1, whichever is more"


def explanation(plan: Plan) -> str:
    """Return where each optimisation is applied, and where not, and why."""
    lines: list[str] = []
    for name in OPTIMIZATIONS:
        if name not in plan.optimizations:
            lines.append(f"{name}: not asked for")
            continue
        notes = [note for note in plan.notes if note.optimization == name]
        lines.append(f"{name}:" if notes else f"{name}: nothing to do")
        for note in sorted(notes, key=lambda each: (each.position.line, each.position.column)):
            word = "applied" if note.applied else "not applied"
            lines.append(f"    line {note.position.line}: {plan.tree.text_at(note.position).strip()}")
            lines.append(f"        {word}: {note.text}")
    return "\n".join(lines) + "\n"
