"""Tables that Python packages ship, as a third group that no setting was chosen by.

The rule was written down before any model had been fitted to one of them:

- packages: pydataset (the folders MASS and car of R), statsmodels and palmerpenguins;
- 150 to 5,000 rows, at least 6 columns, each row an observation of its own: no counts of equal
  rows, no series, panels or repeated measurements, no survival times;
- an outcome that the help page models or names; of tables that contain each other, the largest;
- no copies of tables of the other groups (Boston and biopsy of MASS are);
- columns that number the rows or that are known only with the outcome are left out; numbers that
  stand for categories are nominal.

One table was corrected after a first look: in car_mroz an hourly wage that only working women have
had been overlooked, and every library was right on all rows. It was run anew without this column.
"""

import tarfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from benchmarks.tables import MissingTableError


@dataclass(frozen=True, slots=True)
class Shipped:
    """Where a table is, and how it is read."""

    place: str  # package and file
    target: str
    left_out: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()  # beside those of text
    is_class: bool = True


UNSEEN = {
    "mass_birthwt": Shipped("MASS/birthwt", "low", ("bwt",), ("race",)),
    "mass_crabs": Shipped("MASS/crabs", "sp", ("index",)),
    "mass_cpus": Shipped("MASS/cpus", "perf", ("name", "estperf"), is_class=False),
    "mass_fgl": Shipped("MASS/fgl", "type"),
    "mass_shuttle": Shipped("MASS/shuttle", "use"),
    "mass_pima": Shipped("MASS/Pima.tr2", "type"),
    "penguins": Shipped("palmerpenguins", "species"),
    "car_greene": Shipped("car/Greene", "decision"),
    "car_salaries": Shipped("car/Salaries", "salary", is_class=False),
    "car_mroz": Shipped("car/Mroz", "work", ("hoursw", "wagew", "hearnw")),
    "anes96": Shipped("statsmodels/anes96", "PID"),
    "mass_nlschools": Shipped("MASS/nlschools", "lang", nominal=("class",), is_class=False),
    "car_chile": Shipped("car/Chile", "vote"),
}


def shipped_table(name: str) -> tuple[pd.DataFrame, pd.Series, bool]:
    """Columns, target and whether it is a class; rows without a target are left out."""
    about = UNSEEN[name]
    frame = read(about.place).drop(columns=list(about.left_out))
    frame = frame[frame[about.target].notna()].reset_index(drop=True)
    target = frame.pop(about.target)
    columns = {
        column: values.astype("float64")
        if pd.api.types.is_numeric_dtype(values) and column not in about.nominal
        else values.astype(object).astype("category")
        for column, values in frame.items()
    }
    return pd.DataFrame(columns), target, about.is_class


def read(place: str) -> pd.DataFrame:
    folder = place.partition("/")[0]
    if folder == "palmerpenguins":
        return pd.read_csv(path_of(folder) / "data" / "penguins.csv")
    if folder == "statsmodels":
        path_of(folder)
        from statsmodels.datasets import anes96

        data = anes96.load_pandas()
        return pd.DataFrame(data.exog).assign(PID=data.endog)
    with tarfile.open(path_of("pydataset") / "resources.tar.gz") as archive:
        file = archive.extractfile(f"resources/rdata/csv/{place}.csv")
        assert file is not None
        return pd.read_csv(file, index_col=0)


def path_of(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise MissingTableError(f"the package {package} is not installed")
    return Path(found.origin).parent
