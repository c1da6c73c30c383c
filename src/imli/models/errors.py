"""What is wrong with a model file, and where in it."""

from typing import Self

from imli.places import place_of, write_place


class ModelFileError(ValueError):
    """Something is not a model, or not one that this version of imli can read. The message says where."""

    @classmethod
    def of(cls, error: Exception) -> Self:
        """The same complaint, with the place in the model that it is about."""
        place = write_place(place_of(error))
        return cls(f"At {place}: {error}" if place else str(error))

    def in_file(self, name: str) -> "ModelFileError":
        """The same complaint, about a file of this name."""
        sentence = str(self)
        return ModelFileError(f"In {name!r}, a{sentence[1:]}" if sentence[:3] == "At " else f"In {name!r}: {sentence}")
