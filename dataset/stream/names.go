package stream

import (
	"fmt"
	"slices"
	"strings"
)

const (
	shownNames   = 8 // names that a message lists
	nearestNames = 5 // names like the wanted one that it lists
)

// listNames shows the first names.
func listNames(names []string) string {
	var parts []string
	for i, name := range names {
		if i == shownNames {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-shownNames))
			break
		}
		parts = append(parts, shorten(name))
	}
	return strings.Join(parts, ", ")
}

// instead lists names in place of the wanted one: all if they are few, of many the nearest, else the
// first. Its length is bounded, whatever the names.
func instead(wanted string, names []string) string {
	if len(names) > shownNames {
		if near := nearest(wanted, names); near != nil {
			return fmt.Sprintf("the nearest of its %d names are %s", len(names), listNames(near))
		}
	}
	return "it has " + listNames(names)
}

// nearest returns at most nearestNames of the names that differ from the wanted one in at most a third
// of its letters, the nearest first.
func nearest(wanted string, names []string) []string {
	most := max(1, min(len(wanted), shownText)/3)
	byDistance := make([][]string, most+1)
	for _, name := range names {
		if d := distance(wanted, name, most); d <= most && len(byDistance[d]) < nearestNames {
			byDistance[d] = append(byDistance[d], name)
		}
	}
	near := slices.Concat(byDistance...)
	return near[:min(len(near), nearestNames)]
}

// distance returns V. I. Levenshtein's distance of a and b, the least number of bytes to be inserted,
// deleted or replaced, or more than most if it is more. It ignores the case of ASCII letters and all
// but the first shownText bytes. Row i has the distances of a's first i bytes to b's beginnings.
func distance(a, b string, most int) int {
	a, b = strings.ToLower(a[:min(len(a), shownText)]), strings.ToLower(b[:min(len(b), shownText)])
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			d := before
			if a[i] != b[j] {
				d = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], d
			least = min(least, d)
		}
		if least > most {
			return most + 1 // no later row has less
		}
	}
	return row[len(b)]
}
