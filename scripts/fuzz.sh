#!/bin/sh
# Fuzzes each target for a time, and stops at the first finding.
#
# usage: fuzz.sh SECONDS SANITIZER [TARGET...]
set -eu
cd "$(dirname "$0")/../fuzz"

seconds=$1 sanitizer=$2
shift 2
[ $# -gt 0 ] || set -- parse edit frontmatter policy http_path mcp_call staging_record

$CARGO fuzz build --sanitizer "$sanitizer"
for target in "$@"; do
    seeds= dictionary=
    case $target in
        parse | edit | frontmatter) dictionary=-dict=markdown.dict ;;
        policy) dictionary=-dict=policy.dict seeds="../crates/lore-engine/src/policy/profiles" ;;
    esac
    mkdir -p "corpus/$target"
    # The variables are empty or one word each.
    # shellcheck disable=SC2086
    $CARGO fuzz run --sanitizer "$sanitizer" "$target" "corpus/$target" $seeds -- \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 $dictionary
done
