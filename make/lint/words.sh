#!/bin/sh
# Counts phrases in which a pronoun stands for a noun, in Markdown and in Go comments outside tests. It also counts sentences
# of more than 30 words in README.md and in package comments, and package comments of more than 600 words. Fails if a count
# exceeds its limit.
#
#	words.sh [-l] [COMMIT]
#
# With COMMIT, another column has the counts of that commit. -l lists each place in the working tree.
set -eu
cd "$(dirname "$0")/../.."
list=0
if [ "${1-}" = -l ]; then list=1; shift; fi

# count prints the counts of the tree in folder $1, one a line.
count() {
	(cd "$1" && find . \( -name testdata -o -name testutil -o -name .git \) -prune -o \( -name '*.go' -o -name '*.md' \) \
		! -name '*_test.go' -print | LC_ALL=C sort | xargs awk -v list="$2" '
	function place(what) { if (list) print name ":" line ": " what >"/dev/stderr" }
	# Ends a paragraph that ends in the line before.
	function paragraph(  k, n, s, words, text) {
		text = " " tolower(para) " "
		gsub(/[^a-z0-9]+/, " ", text)
		for (k = 1; k <= 4; k++) if (n = gsub(" " phrase[k] " ", " ", text)) { count[k] += n; place(phrase[k]) }
		size += split(para, words)
		n = split(para, s, /[.?!][)"`*]*( +|$)/)
		for (k = 1; k <= n; k++) if (split(s[k], words) > 30 && !indented && name ~ /\.go$|^\.\/README\.md$/) {
			long++
			long_places = long_places name ":" line ": long sentence: " substr(s[k], 1, 60) "\n"
		}
		para = ""
		if (name == "./README.md") addLong()
	}
	function addLong() { count[5] += long; if (list) printf "%s", long_places >"/dev/stderr"; long = 0; long_places = "" }
	function block(package) {
		paragraph()
		if (package) { addLong(); if (size > 600) { count[6]++; place("package comment of " size " words") } }
		long = size = 0; long_places = ""
	}
	BEGIN { split("those of,that of,beside,so many", phrase, ",") }
	FNR == 1 { block(0); name = FILENAME; code = skip = indented = 0; if (/^\/\/ Code generated/) skip = 1 }
	skip { next }
	name ~ /\.md$/ {
		if (/^[ \t]*(```|~~~)/) { code = !code; paragraph(); next }
		if (code) next
		if (/^$|^ *([-*#>|]|[0-9]+\. )/) paragraph()
		line = FNR; para = para " " $0
		if (/^[#|]/) { if (/^\|/) gsub(/\|/, ". ", para); paragraph() }
		next
	}
	/^[ \t]*\/\// {
		count[7]++
		sub(/^[ \t]*\/\//, "")
		if (/^[a-z]+:[a-z]/) next
		if (/^($| *- | #)/ || /^\t/ != indented) paragraph()
		line = FNR; indented = /^\t/; para = para " " $0
		next
	}
	{ block(/^package /); indented = 0; if (i = index($0, " // ")) { line = FNR; para = substr($0, i); block(0) } }
	END { block(0); for (k = 1; k <= 7; k++) print count[k] + 0 }')
}

dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
if [ $# -gt 0 ]; then
	mkdir "$dir/tree"
	git archive "$1" | tar -x -C "$dir/tree"
	count "$dir/tree" 0 >"$dir/before"
fi
count . "$list" >"$dir/now"
printf '%s\n' 'those of|40' 'that of|40' 'beside|20' 'so many|0' 'sentences above 30 words|0' 'package comments above 600 words|0' \
	'lines of comments|' | tr '|' '\t' >"$dir/limits"
[ -e "$dir/before" ] || sed 's/.*/-/' "$dir/now" >"$dir/before"
paste "$dir/limits" "$dir/before" "$dir/now" | awk -F '\t' -v commit="${1--}" '
	BEGIN { printf "%-34s %9.9s %9s %9s\n", "", commit, "now", "at most" }
	{ printf "%-34s %9s %9d %9s\n", $1, $3, $4, $2; if ($2 != "" && $4 > $2) status = 1 }
	END { exit status }'
