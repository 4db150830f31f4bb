#!/usr/bin/env python3
"""Runs `lore eval` on every set in a folder and compares the figures with the committed ones.

usage: eval.py LORE SETS FIGURES [WORK]

The run fails if a figure is more than one point below the committed one. With EVAL_UPDATE=1 the figures are updated
instead.
"""

import json
import os
import subprocess
import sys

MEASURES = ["any_at_5", "all_at_5", "recall_at_5", "recall_at_10", "ndcg_at_10", "mrr"]
TOLERANCE = 1.0


def figures(lore, folder, work):
    """Returns the figures of a set by mode, in points."""
    command = [lore, "eval", folder, "--json"] + (["--work", work] if work else [])
    answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    modes = {row["mode"]: {name: round(row[name] * 100, 1) for name in MEASURES} for row in answer["modes"]}
    return {"model": answer["model"], "questions": answer["questions"], "modes": modes}


def fallen(name, known, found):
    """Yields the figures that are more than a point worse than before."""
    for mode, measures in known["modes"].items():
        for measure, before in measures.items():
            now = found["modes"].get(mode, {}).get(measure, 0.0)
            if now < before - TOLERANCE:
                yield f"{name} {mode} {measure}: {now} points, {before} before"


def main():
    lore, sets, path = sys.argv[1:4]
    work = sys.argv[4] if len(sys.argv) > 4 else None
    names = sorted(entry.name for entry in os.scandir(sets) if os.path.exists(os.path.join(entry.path, "queries.jsonl")))
    if not names:
        sys.exit(f"error: no set in {sets}\nhint: pass a folder of sets: make eval SETS=FOLDER")
    found, worse = {}, []
    known = json.load(open(path)) if os.path.exists(path) else {}
    for name in names:
        found[name] = figures(lore, os.path.join(sets, name), work)
        for mode, measures in found[name]["modes"].items():
            cells = "  ".join(f"{measure} {value:5.1f}" for measure, value in measures.items())
            print(f"{name:<18} {mode:<9} {cells}", flush=True)
        worse += fallen(name, known[name], found[name]) if name in known else []
    if os.environ.get("EVAL_UPDATE"):
        with open(path, "w") as file:
            json.dump({**known, **found}, file, indent=1, sort_keys=True)
            file.write("\n")
    elif worse:
        sys.exit("error: " + "\nerror: ".join(worse))


main()
