"""A wheel, a wheel from the sdist, an editable install and a plain checkout each find and run their own kernels."""

from __future__ import annotations

import ast
import email.message
import email.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import conftest
import pytest
from packaging.requirements import Requirement

import reedsp
from docs.tools import front_page
from reedsp.system import icd

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
REPOSITORY = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]

needs_device = pytest.mark.skipif(not reedsp.devices(), reason="there is no OpenCL device on this machine")

SOLVE = """
import json
import reedsp
from importlib import metadata
from reedsp.device.build import kernel_directory

paths = reedsp.sssp(reedsp.Graph.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3], [7, 2, 1, 3]), 0)
try:
    installed = metadata.version("reedsp")
except metadata.PackageNotFoundError:
    installed = None
print(json.dumps({
    "package": reedsp.__file__,
    "kernels": str(kernel_directory()),
    "dist": paths.dist.tolist(),
    "route": paths.path(3),
    "launched": paths.stats["kernels_launched"],
    "versions": [reedsp.__version__, installed],
}))
"""


def environment(**variables: str) -> dict[str, str]:
    """Return the environment without what would lead a child process back to this checkout."""
    result = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if result.get("OCL_ICD_VENDORS") == str(icd.enable_pip_runtimes()):
        del result["OCL_ICD_VENDORS"]
    return {**result, **variables}


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    child = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=environment(**variables), capture_output=True, text=True
    )
    assert child.returncode == 0, child.stdout + child.stderr
    return child.stdout


# ---- what is built ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Built:
    """The files of a release."""

    sdist: Path
    wheel: Path
    wheel_from_sdist: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    direct, through_sdist = tmp_path_factory.mktemp("direct"), tmp_path_factory.mktemp("sdist")
    build = [sys.executable, "-m", "build", "--no-isolation", ROOT, "--outdir"]
    run(*build, direct, "--wheel", cwd=direct)
    run(*build, through_sdist, cwd=through_sdist)  # the sdist, and a wheel from it
    [wheel], [sdist] = direct.glob("*.whl"), through_sdist.glob("*.tar.gz")
    [wheel_from_sdist] = through_sdist.glob("*.whl")
    return Built(sdist, wheel, wheel_from_sdist)


def files_of_wheel(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def files_of_sdist(sdist: Path) -> dict[str, bytes]:
    """Return the files by their path below the one top folder."""
    with tarfile.open(sdist) as archive:
        members = [member for member in archive if member.isfile()]
        assert {member.name.split("/")[0] for member in members} == {sdist.name.removesuffix(".tar.gz")}
        return {member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in members}


def metadata_of(wheel: Path) -> email.message.Message:
    [content] = [data for name, data in files_of_wheel(wheel).items() if name.endswith(".dist-info/METADATA")]
    return email.parser.BytesParser().parsebytes(content)


def sources(folder: str, pattern: str) -> dict[str, bytes]:
    return {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in (ROOT / folder).rglob(pattern)}


def test_wheel_holds_the_package_and_the_kernels_and_nothing_else(built: Built) -> None:
    files = files_of_wheel(built.wheel)
    information = f"reedsp-{reedsp.__version__}.dist-info"
    of_experiments = sources("cl/experiments", "*.cl")
    kernels = {f"reedsp/{name}": text for name, text in sources("cl", "*.cl").items() if name not in of_experiments}
    expected = {**sources("reedsp", "*.py"), **kernels, "reedsp/py.typed": b""}
    expected |= sources("reedsp/viewer/page", "*.*") | sources("reedsp/viewer", "schema.json")
    assert len(kernels) >= 5
    assert {name: content for name, content in files.items() if not name.startswith(information)} == expected
    assert files[f"{information}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert files[f"{information}/entry_points.txt"].decode().split() == [
        *("[console_scripts]", "reedsp", "=", "reedsp.cli:main"),
        *("[networkx.backend_info]", "reedsp", "=", "reedsp._nx_info:get_info"),
        *("[networkx.backends]", "reedsp", "=", "reedsp.networkx_backend:backend"),
    ]


def test_wheel_is_small_and_for_every_system(built: Built) -> None:
    assert built.wheel.name == f"reedsp-{reedsp.__version__}-py3-none-any.whl"
    assert built.wheel.stat().st_size < 1_600_000
    [tags] = [data for name, data in files_of_wheel(built.wheel).items() if name.endswith(".dist-info/WHEEL")]
    assert b"Root-Is-Purelib: true" in tags


def test_wheel_from_the_sdist_is_the_same(built: Built) -> None:
    assert files_of_wheel(built.wheel_from_sdist) == files_of_wheel(built.wheel)


def test_sdist_holds_what_is_needed_to_build_and_to_test(built: Built) -> None:
    files = files_of_sdist(built.sdist)
    for folder, pattern in (("reedsp", "*.py"), ("cl", "*.cl"), ("tests", "*.py"), ("experiments", "*.py")):
        assert sources(folder, pattern).items() <= files.items()
    assert sources("docs", "*.md").items() <= files.items()
    assert {"pyproject.toml", "LICENSE", "reedsp/py.typed", "PKG-INFO"} <= set(files)
    assert {"README.md", "CHANGELOG.md", "docs/reference/security.md"} <= set(files)
    assert not [name for name in files if "__pycache__" in name or name.endswith(".pyc")]


def test_metadata(built: Built) -> None:
    metadata = metadata_of(built.wheel)
    assert metadata["Name"] == "reedsp"
    assert metadata["Version"] == reedsp.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert (ROOT / "LICENSE").read_text().split()[:2] == ["Apache", "License"]
    assert {"all", "cpu", "plot", "test", "docs"} <= set(metadata.get_all("Provides-Extra"))
    assert metadata["Author"] == "The reedsp developers"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == front_page.page(README, REPOSITORY)
    labels = [line.split(", ")[0] for line in metadata.get_all("Project-URL", [])]
    assert labels == (["Source", "Documentation", "Changelog", "Issues"] if REPOSITORY else [])
    information = email.parser.BytesParser().parsebytes(files_of_sdist(built.sdist)["PKG-INFO"])
    for field in ("Name", "Version", "Requires-Python", "License-Expression"):
        assert information[field] == metadata[field]


LINK = re.compile(r"\]\(([^)]+)\)")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("repository", ["", "https://example.org/somebody/reedsp"])
def test_page_on_pypi_has_no_relative_link(repository: str) -> None:
    page = front_page.page(README, repository)
    assert len(LINK.findall(README)) > 10
    targets = LINK.findall(page)
    assert len(targets) == (len(LINK.findall(README)) if repository else 0)
    for target in targets:
        file = target.partition("/HEAD/")[2].partition("#")[0]
        assert target.startswith(repository)
        assert (ROOT / file).is_file()
    assert all(each.startswith(repository) for each in front_page.addresses(repository).values())
    assert CODE.findall(page) == CODE.findall(README)


def test_page_on_pypi_leaves_other_links_alone() -> None:
    text = "[a](https://a.org/b) [b](#limits) [c](mailto:c@c.org) ![d](https://d.org/d.png)"
    assert front_page.page(text, "") == front_page.page(text, "https://example.org") == text
    assert front_page.page("![e](e.png) [f](f.md#g)", "") == " f"
    pages = "![e](https://x.org/raw/HEAD/e.png) [f](https://x.org/blob/HEAD/f.md#g)"
    assert front_page.page("![e](e.png) [f](f.md#g)", "https://x.org") == pages


def test_cpu_extra_brings_the_runtime_only_where_it_runs(built: Built) -> None:
    requirements = [Requirement(line) for line in metadata_of(built.wheel).get_all("Requires-Dist")]

    def brought(**machine: str) -> set[str]:
        chosen = {"extra": "cpu", "sys_platform": "linux", "platform_machine": "x86_64", **machine}
        plain = {**chosen, "extra": ""}
        return {
            each.name
            for each in requirements
            if each.marker is not None and each.marker.evaluate(chosen) and not each.marker.evaluate(plain)
        }

    assert brought() == {"intel-opencl-rt", "intel-cmplr-lib-rt"}
    for elsewhere in ({"platform_machine": "aarch64"}, {"sys_platform": "darwin"}, {"sys_platform": "win32"}):
        assert brought(**elsewhere) == set()


def test_requirements_are_complete() -> None:
    """Every package that the library imports is required, or optional and imported only where it is used."""
    imported = set()
    for file in (ROOT / "reedsp").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).split(".")[0])
    third_party = imported - set(sys.stdlib_module_names) - {"reedsp", "__future__"}
    required = {Requirement(line).name for line in PROJECT["dependencies"]}
    extras = {Requirement(line).name for lines in PROJECT["optional-dependencies"].values() for line in lines}
    assert third_party - required - {"PIL"} <= extras  # matplotlib requires pillow
    assert required <= third_party


def test_version_is_written_down_once() -> None:
    assert "version" in PROJECT["dynamic"]
    files = [ROOT / "pyproject.toml", *(ROOT / "reedsp").rglob("*.py")]
    holders = [file.name for file in files if f'"{reedsp.__version__}"' in file.read_text(encoding="utf-8")]
    assert holders == ["_version.py"]


def test_changelog_begins_with_what_is_not_released() -> None:
    heads = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heads[0] == "Unreleased"


def test_everything_optional_is_one_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    [everything] = extras["all"]
    for_developers = {"test", "dev", "docs"}
    assert Requirement(everything).extras == set(extras) - {"all"} - for_developers


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"numprocesses": None, "maxprocesses": None, "timeout": None},
            {"numprocesses": "auto", "maxprocesses": 4, "timeout": 600},
        ),
        ({"numprocesses": 1, "maxprocesses": None, "timeout": 5.0}, None),
        ({"numprocesses": 0, "maxprocesses": None, "timeout": 5.0}, None),
        ({}, None),  # neither plugin is installed
    ],
)
def test_tests_run_in_parallel_unless_the_user_says_otherwise(
    given: dict[str, object], expected: dict[str, object] | None
) -> None:
    option = SimpleNamespace(**given)
    conftest.pytest_cmdline_main(SimpleNamespace(option=option))
    assert vars(option) == (given if expected is None else expected)


def test_workers_start_no_workers() -> None:
    option = SimpleNamespace(numprocesses=None, maxprocesses=None)
    conftest.pytest_cmdline_main(SimpleNamespace(option=option, workerinput={}))
    assert option.numprocesses is None


# ---- what is installed ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Installation:
    """A Python that imports reedsp from one place."""

    python: Path
    package: Path
    kernels: Path
    variables: dict[str, str]
    has_metadata: bool = True


def fresh_environment(folder: Path) -> tuple[Path, Path]:
    """Make an environment without reedsp that sees the packages of this one; return its Python and its library."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    library = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    # A folder named in a .pth file comes last, and the .pth files in it (of an editable reedsp, say) are not read.
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (library / "zz_packages_of_the_tests.pth").write_text("\n".join(packages))
    return python, library


def pip_install(python: Path, *what: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install"]
    flags = ["--quiet", "--no-index", "--no-deps", "--ignore-installed", "--no-build-isolation", "--no-cache-dir"]
    run(*command, *flags, *what, cwd=python.parent)


@pytest.fixture(scope="module", params=["wheel", "wheel-from-sdist", "editable", "checkout"])
def installation(
    request: pytest.FixtureRequest, built: Built, tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    folder = tmp_path_factory.mktemp(request.param)
    variables = {"XDG_CACHE_HOME": str(folder / "cache")}
    if request.param == "checkout":
        for name in ("reedsp", "cl"):
            shutil.copytree(ROOT / name, folder / name)
        variables["PYTHONPATH"] = str(folder)
        return Installation(Path(sys.executable), folder / "reedsp", folder / "cl", variables, has_metadata=False)
    python, library = fresh_environment(folder / "environment")
    if request.param == "editable":
        pip_install(python, "--editable", ROOT)
        return Installation(python, ROOT / "reedsp", ROOT / "cl", variables)
    pip_install(python, built.wheel if request.param == "wheel" else built.wheel_from_sdist)
    return Installation(python, library / "reedsp", library / "reedsp" / "cl", variables)


@pytest.mark.deep("wheel-from-sdist", "editable", "checkout")
@needs_device
def test_kernels_run_from_every_installation(installation: Installation, tmp_path: Path) -> None:
    answer = json.loads(run(installation.python, "-c", SOLVE, cwd=tmp_path, **installation.variables))
    assert Path(answer["package"]).resolve() == (installation.package / "__init__.py").resolve()
    assert Path(answer["kernels"]).resolve() == installation.kernels.resolve()
    assert answer["dist"] == [0, 7, 2, 5]
    assert answer["route"] == [0, 2, 3]
    assert answer["launched"] >= 2
    if installation.has_metadata:
        assert answer["versions"] == [reedsp.__version__, reedsp.__version__]
    else:
        assert answer["versions"][0] == reedsp.__version__


def test_console_script(installation: Installation, tmp_path: Path) -> None:
    if not installation.has_metadata:
        command: list[str | Path] = [installation.python, "-m", "reedsp"]
    else:
        command = [installation.python.with_name("reedsp.exe" if os.name == "nt" else "reedsp")]
    output = run(*command, "--version", cwd=tmp_path, **installation.variables)
    assert output.split() == ["reedsp", reedsp.__version__]


def test_installation_without_kernels_says_what_to_do(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "reedsp", tmp_path / "reedsp")
    code = (
        "from reedsp.device import build\n"
        "try: build.kernel_directory()\nexcept FileNotFoundError as error: print(error)"
    )
    output = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "pip install --force-reinstall reedsp" in output


# ---- import reedsp ----------------------------------------------------------------------------------

LAZY = """
import sys
import reedsp

def heavy():
    names = {"pyopencl", "numpy", "scipy", "networkx", "typer", "rich", "matplotlib"}
    return sorted(names & {name.split(".")[0] for name in sys.modules})

assert heavy() == [], heavy()
modules = {"cluster", "csgraph", "pram", "typing"}
assert set(dir(reedsp)) == {*reedsp.__all__, *modules, "__version__"}, dir(reedsp)
assert not hasattr(reedsp, "no_such_name")
assert heavy() == [], heavy()
try:
    maps = open("/proc/self/maps").read()
except OSError:
    maps = ""
assert "libOpenCL" not in maps
print("lazy")
"""
BEFORE_A_GRAPH = """
import sys
import reedsp

for name in set(reedsp.__all__) - {"NegativeCycleError"}:
    getattr(reedsp, name)
from reedsp.edges.selfcheck import known_graph
known_graph(fractional=False, negative=True)
assert "scipy" not in sys.modules
import reedsp.csgraph
assert not {"networkx", "matplotlib", "pandas", "typer", "rich"} & set(sys.modules)
print("light")
"""
RESOLVE = """
import reedsp
for name in reedsp.__all__:
    value = getattr(reedsp, name)
    assert value.__name__ == name, name
    assert value.__module__ == "reedsp" or not isinstance(value, type), name
    assert getattr(reedsp, name) is value, name
assert {reedsp.csgraph.dijkstra, reedsp.pram.Program, reedsp.cluster.Dask, reedsp.typing.GraphLike}
import reedsp.csgraph as imported
assert imported is reedsp.csgraph
from reedsp import *
assert sssp is reedsp.sssp
try:
    reedsp.no_such_name
except AttributeError as error:
    print(error)
"""


def python(code: str, cwd: Path) -> str:
    return run(sys.executable, "-c", code, cwd=cwd, PYTHONPATH=str(Path(reedsp.__file__).parent.parent))


def test_import_is_lazy(tmp_path: Path) -> None:
    assert python(LAZY, tmp_path) == "lazy\n"


def test_methods_import_neither_scipy_nor_networkx(tmp_path: Path) -> None:
    """Nor does the graph that a child process tries them on: it would begin half a second later."""
    assert python(BEFORE_A_GRAPH, tmp_path) == "light\n"


def test_every_public_name_resolves(tmp_path: Path) -> None:
    assert python(RESOLVE, tmp_path) == "module 'reedsp' has no attribute 'no_such_name'\n"


def test_public_names_are_the_same_for_type_checkers() -> None:
    """A type checker reads the imports under TYPE_CHECKING; the interpreter, the table of modules."""
    tree = ast.parse(Path(reedsp.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert [name for name, module in seen.items() if module == "reedsp"] == [*reedsp._MODULES]
    seen = {name: module for name, module in seen.items() if module != "reedsp"}
    assert seen == {name: f"reedsp.{module}" for name, module in reedsp._MODULE_OF.items()}
    assert sorted(seen) == sorted(reedsp.__all__)


OF_CONDA = {"python-xxhash": "xxhash"}
"""What a package is called there, where it is not the name on PyPI."""


def test_recipe_of_conda_requires_what_the_project_does() -> None:
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    sections = {
        name: re.findall(r"^    - (.*)$", text, re.MULTILINE)
        for name, text in re.findall(r"^  (host|run):\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    }
    required = {OF_CONDA.get(name, name): bound for name, bound in (each.split(" ") for each in sections["run"])}
    assert required.pop("python") == PROJECT["requires-python"]
    assert required == {each.name: str(each.specifier) for each in map(Requirement, PROJECT["dependencies"])}
    assert [
        each for each in SETTINGS["build-system"]["requires"] if each.replace(">=", " >=") not in sections["host"]
    ] == []
    assert f'version: "{reedsp.__version__}"' in recipe
    assert [f"reedsp = {PROJECT['scripts']['reedsp']}"] == re.findall(r"- (reedsp = .*)", recipe)
    assert f"license: {PROJECT['license']}\n" in recipe
    assert f"summary: {PROJECT['description']}\n" in recipe
