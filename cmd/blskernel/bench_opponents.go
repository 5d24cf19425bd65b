package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench/speed"
)

// describeOpponents returns a line for each operation that has opponents, with their names.
func describeOpponents() string {
	var b strings.Builder
	for _, op := range speed.Operations() {
		if all := opponentNames(speed.Cases(op)); len(all) > 0 {
			fmt.Fprintf(&b, "  %-17s %s\n", op, strings.Join(all, ", "))
		}
	}
	return b.String()
}

// opponentNames returns the names of the opponents of cases, each of them once.
func opponentNames(cases []speed.Case) []string {
	var names []string
	for _, c := range cases {
		for _, o := range c.Opponents() {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// findOpponents returns the names of the opponents: those of the flag, or else all of the cases that
// can be had with these backends.
func (s *benchSettings) findOpponents(cases [][]speed.Case, backends []blskernel.Backend, changed func(string) bool) ([]string, error) {
	all := slices.Concat(cases...)
	known := opponentNames(all)
	if changed("opponents") {
		if slices.Equal(s.opponents, []string{"none"}) {
			return nil, nil
		}
		if err := s.checkOpponents(known); err != nil {
			return nil, err
		}
		known = s.opponents
	}
	_, missing := speed.Library(backends)
	if missing == nil {
		return known, nil
	}
	// Without a LAPACK only the others can be had, and it is wrong to ask for more.
	var names []string
	for _, name := range known {
		if !ofLAPACK(all, name) {
			names = append(names, name)
		} else if changed("opponents") {
			return nil, fmt.Errorf("opponent %s: %w", name, missing)
		}
	}
	return names, nil
}

func (s *benchSettings) checkOpponents(known []string) error {
	if len(known) == 0 {
		return usageError{fmt.Errorf("--opponents is about factorizations, and %s has no opponents: leave it out", strings.Join(s.ops, ", "))}
	}
	if len(s.opponents) == 0 {
		return usageError{errors.New("--opponents is empty; want " + strings.Join(known, ", ") + " or none")}
	}
	if d, ok := duplicate(s.opponents); ok {
		return usageError{fmt.Errorf("--opponents has %s twice", d)}
	}
	for _, name := range s.opponents {
		if !slices.Contains(known, name) {
			return usageError{fmt.Errorf("--opponents has %q; want %s or none", name, strings.Join(known, ", "))}
		}
	}
	return nil
}

// ofLAPACK reports whether the opponent of the given name needs a LAPACK.
func ofLAPACK(cases []speed.Case, name string) bool {
	return slices.ContainsFunc(cases, func(c speed.Case) bool {
		return slices.Contains(c.Opponents(), speed.Opponent{Name: name, LAPACK: true})
	})
}
