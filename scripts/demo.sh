#!/bin/sh
# Shows Lore on a copy of the sample vault: nothing outside .demo is touched.
set -eu
lore=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
rm -rf .demo
mkdir -p .demo
cp -R examples/brain .demo/brain
export LORE_HOME="$PWD/.demo/home"
# The sample vault is about these days; what is stale and what still holds is told as of then.
export LORE_NOW=2026-11-15T12:00:00Z
cd .demo/brain

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { printf '\n$ lore %s\n' "$*"; "$lore" "$@" --format human; }

say "1. A vault is a directory of plain Markdown. Adopt one and index it."
run init . --profile brain
run stats

say "2. Search: each hit says why it matched, and the file and lines to read."
run search "take-or-pay clause lender" --limit 2
run search "Kilnlight" --limit 1
run search "耐火砖 裂纹" --limit 1

say "3. Structured lines are found too: facts with their dates."
run search "headquarters" --kind fact

say "4. A page with its version and everything that links to it."
run show "Tobias Renske" --with-links | head -48

say "5. The neighbourhood of a page, as it holds today and as it was."
run graph people/gerrit-molenkamp --depth 1
run backlinks Kilnlight --temporal historical

say "6. Another program edits a file; the next command knows."
printf '\n- [rumour] The Zibo kiln was rebuilt with a **quetzal** lining #bricks\n' >> companies/yunshi-refractories.md
run search quetzal
run edit companies/yunshi-refractories --find quetzal --replace corundum
run search corundum --format brief

say "7. A write with a version that is no longer true is refused (exit 3)."
printf '\n$ lore edit companies/yunshi-refractories --append x --expected-version 1\n'
"$lore" edit companies/yunshi-refractories --append x --expected-version 1 && exit 1 || echo "exit status $?"

say "8. Move a page: the links that name it by its place follow."
run mv projects/heatcast projects/heat-planner

say "9. A credential never gets in (exit 4), and what was replaced can be had again."
printf '\n$ lore edit companies/yunshi-refractories --append "key: ghp_…"\n'
"$lore" edit companies/yunshi-refractories --append "key: ghp""_9dK2mQx7Lw4Rt8Yv1Bn5Cz3Hs6Jf0Gp2Wq4E" && exit 1 || echo "exit status $?"
run history companies/yunshi-refractories --limit 3
run diff companies/yunshi-refractories
run blame companies/yunshi-refractories | tail -4

say "10. Keep something new: pages that say much the same come first."
run capture "Tobias Renske wants every heat purchase agreement read by a lender before it is signed" --source "offsite" --keep
run capture "Every heat purchase agreement should be read by a lender before Tobias Renske signs it" || true

say "11. Ask by meaning: the words of the question need not stand on the page. The answer keeps to a token budget."
run embed
run query "who checks a contract before the bank does?" --limit 2 --depth section --token-budget 400

say "12. Who works where is answered by links: the link is the reason, and another day has another answer."
run query "who works at Tarnholm Paper" --limit 1 --depth summary
run query "who is the CEO of Kilnlight" --limit 1 --depth summary
run query "who is the CEO of Kilnlight" --as-of 2024-06-01 --limit 1 --depth summary
run path "Friederike Wendelstedt" "Shen Yulan"

say "13. What cannot all be true, found without a language model: four kinds, one of each is planted here."
run check --all

say "14. What has grown old or was replaced, and the three ideas that could become one page."
run stale
run compact --plan | sed '/^  --- /,$d'

say "15. Where an agent begins (context), and where somebody who tidies up does (curate)."
run context --token-budget 600
run curate --dry-run --limit 2
run lint --fix --links --dry-run | head -6

say "16. Throw the index away: the files are the truth."
rm -f "$LORE_HOME"/lore.db*
run sync
run validate --all
run lint | tail -1

say "That was a copy in .demo; make your own with: lore init ~/brain --profile brain"
