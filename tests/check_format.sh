#!/usr/bin/env bash
# check_format.sh -- fails when a .c or .h file is not as clang-format 14 would write it; exit code 77 (skipped)
# without that version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=
for name in clang-format-14 clang-format; do
    if [[ $("$name" --version 2>/dev/null) == *'version 14.'* ]]; then formatter=$name && break; fi
done
if [ -z "$formatter" ]; then
    echo "skipped: clang-format 14 is not installed (Debian 12: apt-get install clang-format-14)"
    exit 77
fi
files=$(git -c safe.directory='*' ls-files -- '*.c' '*.h')
[ -n "$files" ] || { echo "git lists no source files here" >&2; exit 1; }
failed=0
while IFS= read -r file; do
    if [ -e "$file" ] && ! "$formatter" --dry-run -Werror "$file" 2>/dev/null; then
        echo "$file: not formatted: $formatter -i $file"
        failed=1
    fi
done <<<"$files"
exit "$failed"
