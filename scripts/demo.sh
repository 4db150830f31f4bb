#!/bin/sh
# Demonstrates Lore on a copy of the sample vault; changes nothing outside .demo.
set -eu
lore=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
rm -rf .demo
mkdir -p .demo
cp -R examples/brain .demo/brain
export LORE_HOME="$PWD/.demo/home"
# The sample vault is set at this date; a fixed clock keeps stale and current pages the same.
export LORE_NOW=2026-11-15T12:00:00Z
cd .demo/brain

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '\n$ lore %s\n' "$*"; "$lore" "$@" --format human; }

say "1. A vault is a directory of plain Markdown. Adopt one and index it."
run init . --profile brain
run stats

say "2. Search: each result shows why it matched, and the file and lines to read."
run search "take-or-pay clause lender" --limit 2
run search "Kilnlight" --limit 1
run search "耐火砖 裂纹" --limit 1

say "3. Search structured lines: facts with their dates."
run search "headquarters" --kind fact

say "4. Show a page with its version and its links."
run show "Tobias Renske" --with-links | head -48

say "5. Show the links around a page, today and in the past."
run graph people/gerrit-molenkamp --depth 1
run backlinks Kilnlight --temporal historical

say "6. Edit a file with another program: the next command sees the change."
printf '\n- [rumour] The Zibo kiln was rebuilt with a **quetzal** lining #bricks\n' >> companies/yunshi-refractories.md
run search quetzal
run edit companies/yunshi-refractories --find quetzal --replace corundum
run search corundum --format brief

say "7. A write with an outdated version is refused (exit 3)."
printf '\n$ lore edit companies/yunshi-refractories --append x --expected-version 1\n'
"$lore" edit companies/yunshi-refractories --append x --expected-version 1 && exit 1 || echo "exit status $?"

say "8. Move a page: links to its path are updated."
run mv projects/heatcast projects/heat-planner

say "9. Credentials are refused (exit 4), and every change has a history."
printf '\n$ lore edit companies/yunshi-refractories --append "key: ghp_…"\n'
"$lore" edit companies/yunshi-refractories --append "key: ghp""_9dK2mQx7Lw4Rt8Yv1Bn5Cz3Hs6Jf0Gp2Wq4E" && exit 1 || echo "exit status $?"
run history companies/yunshi-refractories --limit 3
run diff companies/yunshi-refractories
run blame companies/yunshi-refractories | tail -4

say "10. Capture a note: similar pages are listed first."
run capture "Tobias Renske wants every heat purchase agreement read by a lender before it is signed" --source "offsite" --keep
run capture "Every heat purchase agreement should be read by a lender before Tobias Renske signs it" || true

say "11. Semantic search: the page need not contain the words of the question. Answers stay within a token budget."
run embed
run query "who checks a contract before the bank does?" --limit 2 --depth section --token-budget 400

say "12. Relations answer questions such as who works where, today or on another day."
run query "who works at Tarnholm Paper" --limit 1 --depth summary
run query "who is the CEO of Kilnlight" --limit 1 --depth summary
run query "who is the CEO of Kilnlight" --as-of 2024-06-01 --limit 1 --depth summary
run path "Friederike Wendelstedt" "Shen Yulan"

say "13. Find contradictions without a language model: four kinds, one of each is in the sample vault."
run check --all

say "14. Let ideas and projects age; list stale and superseded pages, and three ideas that could become one page."
sed '/^\[\[lifecycle.paths/,$s/^age = false$/age = true/' lore.toml > ../lore.toml
mv ../lore.toml lore.toml
run stale
run compact --plan | sed '/^  --- /,$d'

say "15. Start a work session (context) or a maintenance session (curate)."
run context --token-budget 600
run curate --dry-run --limit 2
run lint --fix --links --dry-run | head -6

say "16. Delete the index: it is rebuilt from the files."
rm -f "$LORE_HOME"/lore.db*
run sync
run validate --all
run lint | tail -1

say "This was a copy in .demo; create your own vault with: lore init ~/brain --profile brain"
