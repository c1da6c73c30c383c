"""Counts of what makes the code base easy or hard to live in, as a Markdown table.

    python .ci/house.py                                  count this tree
    python .ci/house.py --check                          fail if a count is past its limit
    python .ci/house.py --src OTHER/src/imli             count another tree, such as one before a change
    python .ci/house.py --src OTHER/src/imli --without bench

The counts that need running code (the way of one fit, public objects) import the tree in a process of its own; the
compiled kernel is always the installed one.
"""

import argparse
import ast
import inspect
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1] / "src" / "imli"
BESIDE_ROOMS = {"errors", "files", "kernel"}

# First words of function docstrings. A verb that is missing here is added here, if it is one.
VERBS = set(
    """
    accept activate adapt add adjust advance align allow annotate answer append apply arrange ask assemble assert
    assign associate attach await begin bin bind break build bundle cache calculate call cancel cast catch change
    check choose clean clear clip close collapse collect combine commit compare compile compose compress compute
    concatenate configure connect construct consume contain continue convert copy count cover create cut decide
    declare decode decorate define delegate delete deliver deny derive describe deserialize destroy detect determine
    discard discover display distinguish distribute divide draw drop dump emit enable encode end enforce ensure
    enter enumerate escape establish estimate evaluate examine exclude execute exit expand expect explain export
    express extend extract fail feed fetch fill filter finalize find finish fire fit fix flag flip flush fold follow
    force forget fork format forward gather generate get give grow guard guess halt handle hash hide hold identify
    ignore implement import include increment indent index infer inform inherit initialize insert inspect install
    instantiate interpolate interpret interrupt intersect invert invoke iterate join judge keep kill label launch
    lay lead learn leave let limit link list listen load locate lock log look loop lower make map mark mask match
    maximize measure merge minimize mix modify move multiply mutate name narrow negate normalize note notify number
    observe obtain omit open optimize order output overwrite pack pad parse partition pass patch perform permit pick
    place plot pop post predict prefix prepare preserve prevent price print probe proceed process produce promote
    propagate propose protect prove provide prune publish pull push put query quote raise rank reach read rebuild
    receive recognize recompute record reduce refer refine refit refuse register reject relabel release reload
    remember remove rename render reorder repair repeat replace reply report represent reproduce request require
    reset reshape resolve respond restore restrict resume retain retrieve return reuse reveal reverse revise rewrite
    round route run sample save scale scan schedule score search seek select send separate serialize serve set
    settle shift shorten show shrink shuffle shut sign simplify simulate skip sleep slice solve sort spawn specify
    split spread stack start step stop store stream strip subtract suggest sum summarize supply support swap
    tabulate tag take tell terminate test tie toggle touch trace track train transfer transform translate transpose
    traverse treat trigger trim truncate try turn undo unify unpack update use validate verify visit wait walk warn
    watch weigh weight widen wrap write yield zip
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Row:
    """A line of the table: what is counted, the count, and the limit that is aimed at.

    `held` is what `--check` holds the count to as long as the limit is not reached; lower it whenever the count falls.
    """

    what: str
    count: float
    limit: float | None = None
    at_least: bool = False
    unit: str = ""
    culprits: tuple[str, ...] = ()
    held: float | None = None

    @property
    def is_past(self) -> bool:
        limit = self.limit if self.held is None else self.held
        if limit is None:
            return False
        return self.count < limit if self.at_least else self.count > limit

    @property
    def shown(self) -> str:
        return f"{self.count:,.0f}{self.unit}" if self.unit != " %" else f"{self.count:.1f} %"

    @property
    def aim(self) -> str:
        if self.limit is None:
            return ""
        return f"{'at least' if self.at_least else 'at most'} {self.limit:,.0f}{self.unit}"


@dataclass(frozen=True)
class Tree:
    """The modules of a package, by their dotted names, with their texts."""

    folder: Path
    files: dict[str, Path]

    @classmethod
    def read(cls, folder: Path, without: list[str]) -> "Tree":
        """Find all modules below `folder`, except in the rooms `without`."""
        files = {}
        for path in sorted(folder.rglob("*.py")):
            if path.relative_to(folder).with_suffix("").parts[0] not in without:
                files[dotted(folder, path)] = path
        return cls(folder, files)

    def parsed(self) -> dict[str, ast.Module]:
        return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in self.files.items()}


def dotted(folder: Path, path: Path) -> str:
    """Return the name by which a file of the package is imported."""
    return ".".join((folder.name, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")


def rooms(tree: Tree, without: list[str]) -> list[str]:
    """Return the names at the top of the package: modules, packages and the sources of the kernel."""
    entries = {path.stem for path in tree.folder.iterdir() if path.suffix == ".py" or any(path.glob("*.[ch]pp"))}
    entries |= {path.name for path in tree.folder.iterdir() if any(path.glob("*.py"))}
    return sorted(name for name in entries if not name.startswith("__") and name not in without)


def layers(tree: Tree, without: list[str]) -> list[str]:
    """Return the lines of the layers contract of import-linter in the tree's pyproject.toml."""
    project = tomllib.loads((tree.folder.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    found = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [layer for layer in found if layer.removeprefix(f"{tree.folder.name}.") not in without]


def imports_of(module: str, code: ast.Module, is_package: bool, known: set[str]) -> Iterator[str]:
    """Yield the modules of the tree that `module` imports, at the top or inside functions.

    `from imli.rules import DNF` is an import of `imli.rules`, and `from imli.rules import text` one of
    `imli.rules.text`.
    """
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".") if is_package else module.split(".")[:-1]
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield from (name for name in [inner if inner in known else source] if name in known)


def with_one_importer(tree: Tree, parsed: dict[str, ast.Module]) -> list[str]:
    """Return the modules, other than packages, that exactly one other module imports."""
    importers: dict[str, set[str]] = {name: set() for name in parsed}
    for name, code in parsed.items():
        for imported in imports_of(name, code, tree.files[name].name == "__init__.py", set(parsed)):
            if imported != name:
                importers[imported].add(name)
    return [name for name, by in importers.items() if len(by) == 1 and tree.files[name].name != "__init__.py"]


def repeated(names: list[str]) -> list[str]:
    """Return those names that occur more than once, with how often."""
    return [f"{name} ×{n}" for name, n in sorted(Counter(names).items()) if n > 1]


def function_docstrings(parsed: dict[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """Yield the place and the docstring of each function, method and property that has one."""
    for name, code in parsed.items():
        for node in ast.walk(code):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                yield f"{name}.{node.name}", text


def begins_with_verb(docstring: str) -> bool:
    """Return True if the first word is a verb, and not the noun of a phrase such as "Number of rows"."""
    first, *others = docstring.split(maxsplit=2)
    return first.strip(",.:;").lower() in VERBS and others[:1] != ["of"]


def tally(tree: Tree, without: list[str]) -> list[Row]:
    """Return the table of a tree."""
    parsed = tree.parsed()
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in tree.files.items()}
    top = rooms(tree, without)
    lonely = with_one_importer(tree, parsed)
    names = repeated([path.stem for path in tree.files.values() if not path.stem.startswith("__")])
    classes = repeated([node.name for code in parsed.values() for node in ast.walk(code) if type(node) is ast.ClassDef])
    docstrings = list(function_docstrings(parsed))
    without_verb = [f"{place}: {text.splitlines()[0]}" for place, text in docstrings if not begins_with_verb(text)]
    seen = run_inside(tree)
    undocumented = seen["without_parameters"]
    return [
        Row("entries at the top of `src/imli`", len(top)),
        Row("rooms (without `errors`, `files`, `kernel`)", len(set(top) - BESIDE_ROOMS), 10),
        Row("import layers", len(layers(tree, without))),
        Row("product files", len(tree.files)),
        Row("files below 40 lines", sum(n < 40 for n in lines.values())),
        Row("lines of the product", sum(lines.values()), 20_500, held=29_400),
        Row("modules with one importer", len(lonely), 30, culprits=tuple(lonely)),
        Row("file names used more than once", len(names), 5, culprits=tuple(names)),
        Row("class names used more than once", len(classes), 0, culprits=tuple(classes), held=1),
        Row(
            "files on the way of `DNFClassifier().fit`", len(seen["files"]), 30, culprits=tuple(seen["files"]), held=37
        ),
        Row(
            "types made on the way of `DNFClassifier().fit`",
            len(seen["types"]),
            15,
            culprits=tuple(seen["types"]),
            held=31,
        ),
        Row(
            "function docstrings that begin with a verb",
            100 * (1 - len(without_verb) / len(docstrings)),
            95,
            at_least=True,
            unit=" %",
            culprits=tuple(without_verb),
        ),
        Row(
            f"public objects with parameters and a Parameters section (of {seen['with_parameters']})",
            100 * (1 - len(undocumented) / seen["with_parameters"]),
            100,
            at_least=True,
            unit=" %",
            culprits=tuple(undocumented),
        ),
    ]


def run_inside(tree: Tree) -> dict[str, Any]:
    """Return what `look_inside` finds, in a new process that imports the package from this tree."""
    command = [sys.executable, __file__, "--inside", "--src", str(tree.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"The code of {tree.folder} does not run.\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def look_inside(folder: Path) -> dict[str, Any]:
    """Return the files and types on the way of one fit, and the public objects that have parameters."""
    import_from(folder)
    for path in sorted(folder.rglob("*.py")):
        if path.name != "__main__.py" and "bench" not in path.parts:
            import_module(dotted(folder, path))
    files, types = on_the_way_of_fit(folder)
    objects = [(name, value) for name, value in public_objects() if parameters_of(value)]
    lacking = [name for name, value in objects if "Parameters\n----------" not in (inspect.getdoc(value) or "")]
    return {"files": files, "types": types, "with_parameters": len(objects), "without_parameters": lacking}


def import_from(folder: Path) -> None:
    """Let `import` find the package in this folder, with the compiled kernel of the installed one."""
    kernel = find_spec(f"{folder.name}._kernel")
    if kernel is None or kernel.origin is None:
        sys.exit("imli is not installed in this environment. Install it with: pip install -e .")
    for name in [name for name in sys.modules if name.split(".")[0] == folder.name]:
        del sys.modules[name]
    # an editable install has a finder of its own, which comes before the path
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(folder.parent))
    spec = spec_from_file_location(f"{folder.name}._kernel", kernel.origin)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
    package = import_module(folder.name)
    package._kernel = sys.modules[spec.name]  # as an import of it would do
    found = Path(package.__file__ or "")
    assert found.parent == folder, f"{found} was imported."


def on_the_way_of_fit(folder: Path) -> tuple[list[str], list[str]]:
    """Return the files of which a function is called while a classifier learns, and the classes that are made."""
    import threading

    from sklearn.datasets import load_breast_cancer

    classifier = import_module(folder.name).DNFClassifier()
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    files, types = set(), set()

    def notice(frame: Any, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(str(folder)):
            files.add(str(Path(code.co_filename).relative_to(folder)))
        # the __init__ of a dataclass comes from no file, and the __new__ of a named tuple calls its class _cls
        if code.co_name in ("__init__", "__new__", "__post_init__") and code.co_argcount:
            first = frame.f_locals[code.co_varnames[0]]
            made = first if isinstance(first, type) else type(first)
            if made.__module__.split(".")[0] == folder.name:
                types.add(f"{made.__module__}.{made.__qualname__}")

    threading.setprofile(notice)
    sys.setprofile(notice)
    classifier.fit(X, y)
    sys.setprofile(None)
    threading.setprofile(None)
    return sorted(files), sorted(types)


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield what users call, with its name: public functions and classes, and each public method of a class once."""
    seen = set()
    for module in map(import_module, ("imli", "imli.explain")):
        for name in module.__all__:
            value = getattr(module, name)
            methods = public_methods(value) if isinstance(value, type) else ()
            for place, found in [(name, value), *methods]:
                if callable(found) and found not in seen:
                    seen.add(found)
                    yield place, found


def public_methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of a class that are written in the package, inherited ones too."""
    if issubclass(owner, BaseException):
        return  # users catch them, and make none
    for name in dir(owner):
        value = inspect.getattr_static(owner, name)
        value = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and inspect.isfunction(value) and value.__module__.split(".")[0] == "imli":
            yield f"{owner.__name__}.{name}", value


def parameters_of(value: Any) -> list[str]:
    """Return the names of the parameters of a function, of a method without `self`, or of a class."""
    if isinstance(value, type) and issubclass(value, BaseException):
        return []  # users catch them, and make none
    names = list(inspect.signature(value).parameters)
    return [name for name in names if name not in ("self", "cls")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, default=HERE, help="the package's folder")
    parser.add_argument("--without", action="append", default=[], help="a room that is not counted")
    parser.add_argument("--check", action="store_true", help="fail if a count is past its limit, and say what is")
    parser.add_argument("--most", type=int, default=40, help="how many names --check lists of what is past a limit")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.src.resolve()
    if options.inside:
        print(json.dumps(look_inside(folder)))
        return
    rows = tally(Tree.read(folder, options.without), options.without)
    print("| | count | limit |\n|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.shown} | {row.aim} |")
    past = [row for row in rows if row.is_past]
    if options.check and past:
        for row in past:
            some, n_more = row.culprits[: options.most], len(row.culprits[options.most :])
            more = [f"and {n_more} more (--most {len(row.culprits)} lists all)"] if n_more else []
            held = "" if row.held is None else f", and {row.held:,.0f} until that is reached"
            print(
                f"\n{row.what}: {row.shown}. The limit is {row.aim}{held}.", *some, *more, sep="\n  ", file=sys.stderr
            )
        sys.exit(1)


if __name__ == "__main__":
    main()
