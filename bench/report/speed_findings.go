package report

import (
	"fmt"
	"slices"
)

// A match is the cells in which a backend was the first at a place.
type match struct {
	first string
	place
	others []string             // in the order in which they came
	ratios map[string][]float64 // by other
	ofPeak []float64            // percent, in large dgemm
}

// speedFindings compares, at each place, each backend that was the first of a cell with the others of these cells.
func speedFindings(groups []*operationGroup) (says []string, number *Number) {
	var matches []*match
	for _, g := range groups {
		for _, c := range g.cells {
			first := c.Backends[0]
			i := slices.IndexFunc(matches, func(m *match) bool { return m.first == first.Backend && m.place == g.place })
			if i < 0 {
				i = len(matches)
				matches = append(matches, &match{first: first.Backend, place: g.place, ratios: map[string][]float64{}})
			}
			m := matches[i]
			if c.Op == "dgemm" && c.Shape().Large() {
				m.ofPeak = append(m.ofPeak, 100*first.OfPeak)
			}
			for _, b := range c.Backends[1:] {
				if b.Ratio > 0 {
					if m.ratios[b.Backend] == nil {
						m.others = append(m.others, b.Backend)
					}
					m.ratios[b.Backend] = append(m.ratios[b.Backend], b.Ratio)
				}
			}
		}
	}
	for _, m := range matches {
		if s := m.String(); s != "" {
			says = append(says, s)
		}
		if of := m.ratios["openblas"]; number == nil && len(of) > 0 {
			number = &Number{times(median(of)) + "×", fmt.Sprintf("speed of the backend %s over OpenBLAS in the median of %s, from products of vectors to inverses; faster in %d",
				m.first, count(len(of), "cell", "cells"), above(of))}
		}
	}
	return says, number
}

func (m *match) String() string {
	says := ""
	first := m.place.with(m.first)
	for _, other := range m.others {
		of := m.ratios[other]
		says += fmt.Sprintf("The backend %s is faster than %s in %d of %s; the median of the ratios is %s. ",
			first, other, above(of), count(len(of), "cell", "cells"), times(median(of)))
	}
	if len(m.ofPeak) > 0 {
		says += fmt.Sprintf("In dgemm from n = 1000 on %s reaches %s%% of the peak. ", first, between(m.ofPeak, func(v float64) string { return fixed(v, 0) }))
	}
	if says == "" {
		return ""
	}
	return says[:len(says)-1]
}
