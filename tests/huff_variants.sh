#!/bin/sh
# huff_variants.sh BIN -- the rules as rule pages put them, printed from the descriptors.
set -eu
huff=$1/huff
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# What public rule pages of the four games say, one line a rule.
cat >"$folder/expected" <<'END'
Rule|american|spanish|brazilian|italian
Board|8x8|8x8|8x8|8x8
Pieces per side|12|12|12|12
Capturing is compulsory|yes|yes|yes|yes
A started capture must be completed|yes|yes|yes|yes
Men capture backward|no|no|yes|no
Kings fly|no|yes|yes|no
Men may capture kings|yes|yes|yes|no
Must capture the most pieces|no|yes|yes|yes
Further capture priority|free choice|most kings|free choice|king captures first, then most kings, then earliest king
Man reaches the far row during a capture|crowned, move ends|crowned, move ends|crowned only if the capture ends there|crowned, move ends
Captured pieces are removed|at once (immaterial with short kings)|at the end|at the end|at the end
END

# Columns are two blanks apart at least.
table() { "$huff" variants "$@" | sed 's/   */|/g'; }

table american spanish brazilian italian >"$folder/got"
while read -r line; do
    grep -Fqx "$line" "$folder/got" || fail "variants: no line \"$line\""
done <"$folder/expected"

# Only what differs, with the game compared to in front.
table spanish brazilian italian --versus american >"$folder/got"
while read -r line; do
    case $line in
    Rule* | "Men capture backward"* | "Kings fly"* | "Men may"* | "Must"* | "Further"* | "Man reaches"* | "Captured"*)
        grep -Fqx "$line" "$folder/got" || fail "--versus: no line \"$line\"" ;;
    *) if grep -Fqx "$line" "$folder/got"; then fail "--versus: nothing differs in \"$line\""; fi ;;
    esac
done <"$folder/expected"
[ "$(table russian+free --versus russian)" = "Rule|russian|russian+free
Capturing is compulsory|yes|no" ] || fail "russian+free --versus russian"
[ "$(table thai --versus thai | tail -n 1)" = "(no difference)" ] || fail "thai --versus thai"
[ "$("$huff" variants --versus american | grep -c '^Rule .*american')" -ge 3 ] || fail "--versus for all variants"

# Every variant has its column, its GameType and its rule book.
"$huff" variants >"$folder/all"
for name in spanish italian brazilian russian czech american pool portuguese thai international frisian killer; do
    grep -q "^Rule .* $name\( \|$\)" "$folder/all" || fail "no column for $name"
    grep -q "^Rules of $name: ." "$folder/all" || fail "no rule book of $name"
    "$huff" variants "$name" --json | grep -q "\"name\": \"$name\"" || fail "no JSON of $name"
done
for type in 20,W,10,10,N2,0 21,B,8,8,N1,0 22,W,8,8,N2,1 23,B,8,8,N1,0 24,W,8,8,N1,1 25,W,8,8,A0,0 26,W,8,8,A0,0 \
    28,W,8,8,N1,1 29,W,8,8,A0,0 31,B,8,8,N2,0 40,W,10,10,N2,0; do
    grep -q "^GameType .* $type\( \|$\)" "$folder/all" || fail "no GameType $type"
done

if "$huff" variants nonsense >"$folder/got" 2>"$folder/error"; then fail "accepted nonsense"; fi
grep -q 'no "nonsense"; there are spanish, ' "$folder/error" || fail "an unknown name does not list the names"

exit $failed
