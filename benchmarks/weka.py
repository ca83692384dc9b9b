"""Weka's J48, in a Java process of its own, by the build time it reports."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

JAR = Path("/usr/share/java/weka.jar")  # where Debian's package `weka` puts it


def time_j48(table: Path, repeat: int) -> dict[str, Any]:
    """The best of `repeat` builds of an unpruned tree."""
    if not JAR.exists() or not shutil.which("java"):
        return {"skipped": "weka or java is not installed (Debian: apt install weka)"}
    command = ["java", "-Xmx2g", "-cp", str(JAR), "weka.classifiers.trees.J48"]
    command += ["-U", "-no-cv", "-t", str(table)]
    times, leaves = [], 0
    for _ in range(repeat):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times.append(float(reported(r"Time taken to build model: ([\d.]+)", done.stdout)))
        leaves = int(reported(r"Number of Leaves\s*:\s*(\d+)", done.stdout))
    return {"seconds": min(times), "all_seconds": times, "leaves": leaves}


def reported(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise RuntimeError(f"Weka's output has no line like {pattern!r}")
    return found.group(1)
