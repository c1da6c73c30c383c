"""Makes passengers.csv, the table that the documentation learns from. None of these people ever lived."""

from pathlib import Path

import numpy as np

N_ROWS = 800
PORTS = ["Belfast", "Cherbourg", "Cork", "Le Havre", "Queenstown", "Southampton"]
COLUMNS = ("sex", "cabin", "age", "fare", "port", "booked", "alone", "survived")


def lines() -> list[str]:
    """Return the lines of the file: women of upper cabins, children and late bookings from France survive more."""
    rng = np.random.default_rng(1)
    sex = rng.choice(["male", "female"], N_ROWS, p=[0.6, 0.4])
    cabin = rng.choice([1, 2, 3], N_ROWS, p=[0.25, 0.2, 0.55])
    age = np.clip(rng.normal(30, 14, N_ROWS), 1, 80).round().astype(int)
    fare = (rng.gamma(3, 4, N_ROWS) * np.array([0, 6, 2, 1])[cabin]).round(2)
    port = rng.choice(PORTS, N_ROWS, p=[0.1, 0.2, 0.1, 0.1, 0.15, 0.35])
    booked = np.datetime64("1911-06-01") + rng.integers(0, 310, N_ROWS)
    alone = rng.random(N_ROWS) < np.where(age < 14, 0.05, 0.6)
    chance = 0.07 + 0.75 * ((sex == "female") & (cabin < 3)) + 0.7 * (age < 10)
    chance += 0.6 * (np.isin(port, ["Cherbourg", "Le Havre"]) & (booked >= np.datetime64("1912-01-01")))
    survived = np.where(rng.random(N_ROWS) < chance, "yes", "no")
    known = np.where(rng.random(N_ROWS) < 0.15, "", age.astype(str))  # an age that nobody wrote down
    table = zip(sex, cabin, known, fare, port, booked, np.where(alone, "true", "false"), survived, strict=True)
    return [",".join(COLUMNS), *(",".join(map(str, row)) for row in table)]


def write(path: Path) -> None:
    """Write the file."""
    path.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).with_suffix(".csv"))
