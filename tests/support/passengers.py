"""A table of passengers that never sailed, for tests that need a file."""

import csv
import random
from pathlib import Path

COLUMNS = ("id", "sex", "age", "class", "port", "booked", "survived")


def passenger_rows(n_rows: int = 400, seed: int = 1) -> list[tuple[str, ...]]:
    """Women of the first two classes and children survive, and so do some others; an age in ten is missing."""
    chance = random.Random(seed)
    rows = []
    for number in range(n_rows):
        sex, cabin = chance.choice(["male", "male", "female"]), chance.choice([1, 2, 3, 3])
        age = min(80, max(1, round(chance.gauss(30, 14))))
        is_safe = (sex == "female" and cabin < 3) or age < 10
        survived = is_safe if chance.random() < 0.93 else not is_safe
        known_age = "" if chance.random() < 0.1 else str(age)
        port = chance.choice(["Cork", "Le Havre", "Southampton"])
        booked = f"1911-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        rows.append((str(1000 + number), sex, known_age, str(cabin), port, booked, "yes" if survived else "no"))
    return rows


def write_passengers(path: Path, n_rows: int = 400, seed: int = 1, columns: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in passenger_rows(n_rows, seed):
            cells = dict(zip(COLUMNS, row, strict=True))
            writer.writerow([cells[name] for name in columns])
    return path
