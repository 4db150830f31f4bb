#!/bin/sh
# Tests the Emacs package with a real Emacs and org-roam: byte compilation and documentation without warnings, then the
# tests in emacs/test with the binary. Emacs and org-roam are installed from the system's packages if they are missing.
#
# usage: emacs.sh LORE
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'error: %s\n' "$1" >&2; printf 'hint: %s\n' "$2" >&2; exit 1; }

lore=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

# No settings of the person or the site, but the packages of the system.
batch() { emacs -q --no-site-file --batch --eval "(progn (require 'package) (package-initialize))" "$@"; }
has_org_roam() { batch --eval "(kill-emacs (if (require 'org-roam nil t) 0 1))" >/dev/null 2>&1; }

if ! { command -v emacs >/dev/null 2>&1 && has_org_roam; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && apt-get install -y -qq emacs-nox elpa-org-roam; } >/dev/null 2>&1 || true
fi
command -v emacs >/dev/null 2>&1 || fail "Emacs is not installed" "install Emacs 28 or later"
has_org_roam || fail "org-roam is not installed for Emacs" "install it, on Debian with: apt-get install elpa-org-roam"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R emacs/. "$work"
cd "$work"

batch -L . --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile ./*.el
batch -L . --eval '(progn
  (require (quote checkdoc))
  (let ((checkdoc-create-error-function
         (lambda (text start _end &optional _unfixable)
           (message "%s:%d: %s" (buffer-name) (line-number-at-pos start) text)
           (setq checkdoc-failed t)
           nil)))
    (defvar checkdoc-failed nil)
    (dolist (file (directory-files "." t "\\.el$"))
      (checkdoc-file file))
    (when checkdoc-failed (kill-emacs 1))))'

# Most of the time a test waits for a process, so the files run in parallel.
running=
for file in test/*-test.el; do
    name=$(basename "$file" .el)
    LORE_TEST_BINARY=$lore batch -L . -L test -l "$name" -f ert-run-tests-batch-and-exit >"$name.log" 2>&1 &
    running="$running $name:$!"
done
failed=
for one in $running; do
    name=${one%%:*}
    if wait "${one##*:}"; then
        grep '^Ran ' "$name.log" | sed "s/^Ran/emacs: $name: ran/; s/ (.*, \(.*\))/ in \1/"
    else
        cat "$name.log" >&2
        failed=1
    fi
done
[ -z "$failed" ]
