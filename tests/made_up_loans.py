"""Makes the bundled table `loans`: 400 loans that nobody took.

`python tests/made_up_loans.py > src/treewright/data/samples/loans.csv` writes it. Whether a loan
was repaid hangs on savings, income and the amount, and on luck. Whoever did not repay left the
income blank more often: holes that say something.
"""

import csv
import io
import random

HEADER = ("loan", "age", "work", "home", "savings", "income", "amount", "months", "repaid")
WORK = {"employed": 0.62, "self-employed": 0.16, "student": 0.1, "retired": 0.07, "none": 0.05}
INCOME = {"employed": 2700, "self-employed": 3000, "student": 1100, "retired": 1700, "none": 900}


def loans(n_rows: int = 400, seed: int = 5) -> str:
    """The text of the file."""
    chance = random.Random(seed)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([f"L{1001 + row}", *loan(chance)] for row in range(n_rows))
    return written.getvalue()


def loan(chance: random.Random) -> list[object]:
    work = pick(chance, WORK)
    age = age_in(chance, work)
    home = pick(chance, {"rented": 0.5, "own": 0.15 + 0.008 * (age - 20), "family": 0.15})
    savings = pick(chance, {"none": 0.45, "some": 0.35, "plenty": 0.1 + 0.005 * (age - 20)})
    income = max(450, round(chance.gauss(INCOME[work], 0.25 * INCOME[work]), -1))
    months = chance.choice([12, 24, 24, 36, 36, 48, 60])
    amount = round(max(800, chance.gauss(300, 120) * months), -2)
    repaid = is_repaid(chance, income, amount, savings)
    hides_income = chance.random() < (0.08 if repaid else 0.25)
    hides_savings = chance.random() < 0.05
    return [
        age,
        work,
        home,
        "" if hides_savings else savings,
        "" if hides_income else int(income),
        int(amount),
        months,
        "yes" if repaid else "no",
    ]


def is_repaid(chance: random.Random, income: float, amount: float, savings: str) -> bool:
    if savings == "plenty":
        return chance.random() < 0.96
    if savings == "some":
        return chance.random() < (0.25 if income <= 1500 else 0.92)
    return chance.random() < (0.12 if income <= 1500 or amount > 12_000 else 0.88)


def age_in(chance: random.Random, work: str) -> int:
    if work == "student":
        return chance.randint(19, 28)
    return chance.randint(62, 79) if work == "retired" else chance.randint(21, 64)


def pick(chance: random.Random, weights: dict[str, float]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


if __name__ == "__main__":
    print(loans(), end="")
