#!/bin/sh
# Fails if a file, a function, a package or a line exceeds its limit below. Generated files and
# functions of tests have no limits. Columns are limited in comments and prose, with tabs of eight
# columns; the output of an Example may be wider.
set -eu
cd "$(dirname "$0")/../.."
# The continuation bytes of UTF-8 do not count as columns.
git ls-files -co --exclude-standard '*.go' '*.md' | while read -r name; do [ ! -e "$name" ] || echo "$name"; done |
	LC_ALL=C xargs awk -v columns=104 -v files=500 -v tests=600 -v functions=100 -v packages=40 -v readme=110 '
	function exceed(n, limit, what) { if (n > limit) { print what ": " n ", want at most " limit; status = 1 } }
	function width(line,  tab) {
		gsub(/[\200-\277]/, "", line)
		while (tab = index(line, "\t")) line = sprintf("%-" int((tab + 7) / 8) * 8 "s", substr(line, 1, tab - 1)) substr(line, tab + 1)
		return length(line)
	}
	function done() {
		if (name == "README.md") exceed(lines, readme, name ": lines")
		if (name !~ /\.go$/ || generated) return
		if (name ~ /_test\.go$/) { exceed(lines, tests, name ": lines"); return }
		exceed(lines, files, name ": lines")
		folder = name
		if (!sub(/\/[^\/]*$/, "", folder)) folder = "the top folder"
		count[folder]++
	}
	FNR == 1 { done(); name = FILENAME; generated = code = output = begun = 0 }
	{ lines = FNR; if (FNR <= 10 && /^\/\/ Code generated/) generated = 1 }
	name ~ /\.md$/ {
		if (/^[ \t]*(```|~~~)/) code = !code
		else if (!code && !/^(\||    )/ && !/\]\(/) exceed(width($0), columns, name ":" FNR ": columns")
		next
	}
	generated { next }
	/^[ \t]*\/\// {
		if (/^[ \t]*\/\/ (Unordered o|O)utput:/) output = 1
		if (!output && !/^\/\/go:/) exceed(width($0), columns, name ":" FNR ": columns")
		next
	}
	{ output = 0 }
	/^func .*[{(]$/ { begun = FNR; what = $0 }
	/^}/ && begun {
		if (name !~ /_test\.go$/ && !index(name, "testutil/")) exceed(FNR - begun + 1, functions, name ":" begun ": lines of a function")
		begun = 0
	}
	END { done(); for (folder in count) exceed(count[folder], packages, folder ": Go files"); exit status }'
