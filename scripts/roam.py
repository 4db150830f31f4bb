#!/usr/bin/env python3
"""Compares the nodes of an org-roam directory in Lore with those in org-roam's own database.

usage: roam.py NODES DIRECTORY

NODES is the program of `cargo build --release -p lore-page --example nodes`. Emacs with org-roam builds a database of a
copy of the directory in batch mode. For every node, the file, level, title, aliases, tags, refs and ids of outgoing links
are compared; differences are printed and make the exit status 1.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

DUMP = """
(progn
  (require 'package)
  (package-initialize)
  (setq org-roam-directory (file-truename "%(root)s/")
        org-roam-db-location "%(database)s"
        org-id-locations-file "%(database)s.ids"
        org-roam-v2-ack t
        org-inhibit-startup t
        enable-local-variables nil
        enable-dir-local-variables nil
        vc-handled-backends nil)
  (require 'org-roam)
  (require 'json)
  (org-roam-db-sync t)
  (dolist (row (org-roam-db-query [:select [id file level title] :from nodes]))
    (pcase-let ((`(,id ,file ,level ,title) row))
      (princ (json-encode
              (list :id id :file (file-relative-name file org-roam-directory) :level level :title title
                    :aliases (vconcat (mapcar #'car (org-roam-db-query
                                                     [:select alias :from aliases :where (= node-id $s1)] id)))
                    :tags (vconcat (mapcar #'car (org-roam-db-query
                                                  [:select tag :from tags :where (= node-id $s1)] id)))
                    :refs (vconcat (mapcar (lambda (ref)
                                             (if (equal (cadr ref) "cite") (concat "@" (car ref))
                                               (concat (cadr ref) ":" (car ref))))
                                           (org-roam-db-query
                                            [:select [ref type] :from refs :where (= node-id $s1)] id)))
                    :links (vconcat (mapcar #'car (org-roam-db-query
                                                   [:select dest :from links
                                                    :where (= source $s1) :and (= type "id")] id))))))
      (princ "\\n"))))
"""


def rows(output):
    """Returns the nodes of JSON lines by id and file, with sorted lists."""
    found = {}
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        node = json.loads(line)
        for key in ("aliases", "tags", "refs", "links"):
            # org-roam stores a link or a tag that a node has twice once or twice, depending on its place.
            node[key] = sorted(set(node[key]))
        found[(node.pop("id"), node["file"])] = node
    return found


def main():
    program, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "notes")
        shutil.copytree(source, root, ignore=shutil.ignore_patterns(".git"))
        files = sorted(str(path.relative_to(root)) for path in root.rglob("*.org"))
        script = DUMP % {"root": root, "database": pathlib.Path(folder, "roam.db")}
        command = ["emacs", "-q", "--no-site-file", "--batch", "--eval", script]
        emacs = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if emacs.returncode != 0:
            sys.exit(f"error: Emacs failed: {emacs.stderr[-500:]}")
        theirs = rows(emacs.stdout)
        output = subprocess.run([program, root, *files], capture_output=True, text=True, check=True).stdout
        ours = rows(output)
    print(f"{len(files)} files, {len(theirs)} nodes in org-roam, {len(ours)} in Lore")
    differences = 0
    for key in sorted(set(ours) | set(theirs)):
        one, other = theirs.get(key), ours.get(key)
        if one != other:
            differences += 1
            fields = [field for field in (one or {}) if other and one[field] != other[field]]
            what = "; ".join(f"{field}: org-roam {one[field]!r}, Lore {other[field]!r}" for field in fields)
            print(f"{key[1]} {key[0]}: {what or ('only in Lore' if one is None else 'only in org-roam')}")
    print(f"{differences} nodes differ")
    sys.exit(differences > 0)


main()
