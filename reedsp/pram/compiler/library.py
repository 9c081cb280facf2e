"""The functions in OpenCL C that generated kernels call, of which a program gets those that it needs.

What has no result in the language is 0 here, and an element outside of its array is 0, too, or is not stored: nothing
is read or written outside of a buffer. Where errors are checked, the functions have three arguments more and report it.
"""

from __future__ import annotations

import re

_INTEGERS = {"int": ("uint", 31), "long": ("ulong", 63)}
_FLOATS = ("float", "double")
_VALUES = ("uchar", *_INTEGERS, *_FLOATS)

_REPORT = """void report(volatile __global int *fault, int site, long p, long index)
{
    if (atomic_cmpxchg(fault, 0, site) == 0) {
        fault[1] = (int)p;
        fault[2] = (int)index;
        fault[3] = (int)(index >> 32);
    }
}
"""


def _functions(check: bool) -> dict[str, str]:
    """Return the functions by their names, those that others call before them."""
    more = ", __global int *fault, int site, long p" if check else ""

    def reports(condition: str, index: str = "0") -> str:
        return f"    if ({condition})\n        report(fault, site, p, {index});\n" if check else ""

    found = {"report": _REPORT}
    for kind in _VALUES:
        found[f"load_{kind}"] = (
            f"{kind} load_{kind}(__global const {kind} *array, long size, long index{more})\n{{\n"
            f"{reports('(ulong)index >= (ulong)size', 'index')}"
            "    return (ulong)index < (ulong)size ? array[index] : 0;\n}\n"
        )
        found[f"store_{kind}"] = (
            f"void store_{kind}(__global {kind} *array, long size, long index, {kind} value{more})\n{{\n"
            f"{reports('(ulong)index >= (ulong)size', 'index')}"
            "    if ((ulong)index < (ulong)size)\n        array[index] = value;\n}\n"
        )
        own = more or ", long p"
        found[f"load_own_{kind}"] = (
            f"{kind} load_own_{kind}(__global const {kind} *array, long size, long index, long n{own})\n{{\n"
            f"{reports('(ulong)index >= (ulong)size', 'index')}"
            "    return (ulong)index < (ulong)size ? array[index * n + p] : 0;\n}\n"
        )
        found[f"store_own_{kind}"] = (
            f"void store_own_{kind}(__global {kind} *array, long size, long index, {kind} value, long n{own})\n{{\n"
            f"{reports('(ulong)index >= (ulong)size', 'index')}"
            "    if ((ulong)index < (ulong)size)\n        array[index * n + p] = value;\n}\n"
        )
        found[f"compare_{kind}"] = (
            f"void compare_{kind}(__global const {kind} *array, long size, long index, {kind} value,\n"
            "    __global const uint *claims, __global int *fault, int site, long p)\n{\n"
            "    if ((ulong)index < (ulong)size && claims[index] != (uint)p && array[index] != value &&\n"
            "        (array[index] == array[index] || value == value))\n        report(fault, site, p, index);\n}\n"
        )
    found["claim"] = (
        "void claim(volatile __global uint *claims, long size, long index, long p)\n{\n"
        "    if ((ulong)index < (ulong)size)\n        atomic_min(&claims[index], (uint)p);\n}\n"
    )
    found["is_mine"] = (
        "bool is_mine(__global const uint *claims, long size, long index, long p)\n{\n"
        "    return (ulong)index >= (ulong)size || claims[index] == (uint)p;\n}\n"
    )
    for kind, (unsigned, width) in _INTEGERS.items():
        for name, sign in (("add", "+"), ("subtract", "-"), ("multiply", "*")):
            found[f"{name}_{kind}"] = (
                f"{kind} {name}_{kind}({kind} x, {kind} y) // wraps\n{{\n"
                f"    return ({kind})(({unsigned})x {sign} ({unsigned})y);\n}}\n"
            )
        found[f"negate_{kind}"] = f"{kind} negate_{kind}({kind} x)\n{{\n    return ({kind})(0 - ({unsigned})x);\n}}\n"
        found[f"absolute_{kind}"] = (  # a compiler may take abs for never negative
            f"{kind} absolute_{kind}({kind} x) // wraps\n{{\n    return max(x, ({kind})(0 - ({unsigned})x));\n}}\n"
        )
        found[f"floor_divide_{kind}"] = (
            f"{kind} floor_divide_{kind}({kind} x, {kind} y{more})\n{{\n{reports('y == 0')}"
            "    if (y == 0 || y == -1)\n"
            f"        return y == 0 ? 0 : ({kind})(0 - ({unsigned})x);\n"
            "    return x / y - (x % y != 0 && (x < 0) != (y < 0));\n}\n"
        )
        found[f"floor_modulo_{kind}"] = (
            f"{kind} floor_modulo_{kind}({kind} x, {kind} y{more})\n{{\n{reports('y == 0')}"
            "    if (y == 0 || y == -1)\n        return 0;\n"
            f"    const {kind} rest = x % y;\n"
            "    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;\n}\n"
        )
        wrong = f"count < 0 || count > {width}"
        found[f"shift_left_{kind}"] = (
            f"{kind} shift_left_{kind}({kind} x, {kind} count{more})\n{{\n{reports(wrong)}"
            f"    return {wrong} ? 0 : ({kind})(({unsigned})x << count);\n}}\n"
        )
        found[f"shift_right_{kind}"] = (
            f"{kind} shift_right_{kind}({kind} x, {kind} count{more})\n{{\n{reports(wrong)}"
            f"    return {wrong} ? 0 : x >> count;\n}}\n"
        )
        found[f"ceil_log2_{kind}"] = (
            f"{kind} ceil_log2_{kind}({kind} x)\n{{\n    return x > 1 ? {width + 1} - clz(x - 1) : 0;\n}}\n"
        )
        for source in _FLOATS:
            limit = f"({source}){1 << width}{'.0f' if source == 'float' else '.0'}"
            found[f"{kind}_of_{source}"] = (
                f"{kind} {kind}_of_{source}({source} x{more})\n{{\n"
                f"    const {source} whole = trunc(x);\n"
                f"    const bool fits = whole >= -{limit} && whole < {limit};\n{reports('!fits')}"
                f"    return fits ? ({kind})whole : 0;\n}}\n"
            )
    found["int_of_long"] = (
        f"int int_of_long(long x{more})\n{{\n{reports('x != (int)x')}    return x == (int)x ? (int)x : 0;\n}}\n"
    )
    for kind in _FLOATS:
        found[f"least_{kind}"] = f"{kind} least_{kind}({kind} x, {kind} y)\n{{\n    return y < x ? y : x;\n}}\n"
        found[f"largest_{kind}"] = f"{kind} largest_{kind}({kind} x, {kind} y)\n{{\n    return y > x ? y : x;\n}}\n"
        found[f"absolute_{kind}"] = f"{kind} absolute_{kind}({kind} x)\n{{\n    return fabs(x);\n}}\n"
    found["divide_float"] = (
        "float divide_float(float x, float y) // rounded once, which is not promised of x / y\n{\n"
        "#ifdef cl_khr_fp64\n    return (float)((double)x / (double)y);\n#else\n    return x / y;\n#endif\n}\n"
    )
    return found


HELPERS = frozenset(_functions(False))
"""The names of the functions."""


def helpers_in(text: str, check: bool) -> str:
    """Return the functions that kernels call; with checks, those that report."""
    functions = _functions(check)
    needed = set(re.findall(r"\b(\w+)\(", text)) & set(functions)
    if "report(" in "".join(functions[name] for name in needed):
        needed.add("report")
    return "\n".join([functions[name] for name in functions if name in needed] + [""] * bool(needed))
