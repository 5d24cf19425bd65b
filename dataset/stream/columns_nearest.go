package stream

import (
	"fmt"
	"strings"
)

const (
	shownNames   = 8 // that a message lists
	nearestNames = 5 // of those that are like the wanted one
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

// instead says what there is where the wanted name is not: all names if they are few, of many those that are nearest to it
// with the number of all, or the first where none is near. The text is bounded however many names there are and
// however long they are.
func instead(wanted string, names []string) string {
	if len(names) > shownNames {
		if near := nearest(wanted, names); near != nil {
			return fmt.Sprintf("the nearest of its %d names are %s", len(names), listNames(near))
		}
	}
	return "it has " + listNames(names)
}

// nearest returns the names that differ from the wanted one in at most a third of its letters, the nearest first, at most
// nearestNames of them.
func nearest(wanted string, names []string) []string {
	most := max(1, min(len(wanted), shownText)/3)
	var near []string
	var distances []int
	for _, name := range names {
		d := distance(wanted, name, most)
		at := len(near)
		for at > 0 && distances[at-1] > d {
			at--
		}
		if d > most || at == nearestNames {
			continue
		}
		near, distances = append(near, ""), append(distances, 0)
		copy(near[at+1:], near[at:])
		copy(distances[at+1:], distances[at:])
		near[at], distances[at] = name, d
		near, distances = near[:min(len(near), nearestNames)], distances[:min(len(near), nearestNames)]
	}
	return near
}

// distance returns how many bytes have to be inserted, deleted or replaced to make b of a, or more than most if that is
// more: V. I. Levenshtein's distance, for which row i has those of a's first i bytes to all beginnings of b. Capitals of
// ASCII count as small letters, and of long texts the first shownText bytes are compared.
func distance(a, b string, most int) int {
	a, b = a[:min(len(a), shownText)], b[:min(len(b), shownText)]
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var row [shownText + 1]int
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			d := before
			if small(a[i]) != small(b[j]) {
				d = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], d
			least = min(least, d)
		}
		if least > most {
			return most + 1 // and no later row has less
		}
	}
	return row[len(b)]
}

func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
