"""JSON as people write it: read with care for where something is wrong, and laid out to be read.

Model files: written whole or not at all, read without executing anything.
"""

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from imli.errors import ModelFileError, brief
from imli.files import write_whole
from imli.models.document import check_document, layout, parse
from imli.models.model import Model
from imli.rules import Rule


def save(what: Any, path: str | PathLike[str]) -> None:
    """Write a model to a JSON file that ``imli.load`` reads, and that people can read and edit.

    Parameters
    ----------
    what
        A fitted classifier, a rule, or a model.
    path
        The file. What is there is replaced when all has been written.

    Examples
    --------
    >>> import imli, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rule.json"
    >>> imli.save(imli.parse_rule("IF age > 60 AND smoker THEN high ELSE low"), file)
    >>> imli.load(file).predict({"age": [70, 70], "smoker": [True, False]}).tolist()
    ['high', 'low']
    """
    content = as_model(what).to_dict()
    try:
        check_document(content)  # what could not be read again is not written
    except ValueError as error:
        raise ModelFileError.of(error) from None
    write_whole(Path(path), layout(content) + "\n")


def as_model(what: Any) -> Model:
    """The model of a fitted classifier, of a rule, or the model itself."""
    if isinstance(what, Model):
        return what
    if isinstance(what, Rule):
        return Model.of_rule(what)
    if not isinstance(what, type) and callable(to_model := getattr(what, "to_model", None)):
        model = to_model()
        assert isinstance(model, Model)
        return model
    raise TypeError(f"Only a fitted classifier of imli, a rule or a model can be saved. Got {brief(what)}.")


def load(path: str | PathLike[str]) -> Model:
    """Read a model file that ``imli.save`` wrote, also if it was edited by hand, or a rule's own dict as JSON.

    Executes nothing. A file that is not a model is a :class:`ModelFileError` that names the place in it.
    """
    content = Path(path).read_bytes()
    try:
        return Model.from_dict(parse(content))
    except ModelFileError as error:
        raise error.in_file(fspath(path)) from None
