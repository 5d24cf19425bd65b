package report

import (
	"fmt"
	"slices"
	"strings"

	"blskernel/bench/result"
)

// A place is what makes times comparable: they are joined only where it is the same.
type place struct {
	result.Conditions
	shown string // what of it other places of the page have otherwise, and String would not say
}

// String says what most differs between places.
func (p place) String() string { return p.with(p.Backends) }

// with is String for one of several backends.
func (p place) with(backend string) string {
	name := backend
	if name == "" {
		name = "unknown backend"
	}
	switch p.Threads {
	case "":
	case "1":
		name += ", 1 thread"
	default:
		name += ", " + andThreads(p.Threads) + " threads"
	}
	return name + p.shown
}

// andThreads writes numbers that are separated by commas as a sentence has them.
func andThreads(numbers string) string { return list(strings.Split(numbers, ", ")) }

// places are the conditions of all parts, of which some have to be told apart.
type places []result.Conditions

func placesOf(parts []*result.File) places {
	var all places
	for _, f := range parts {
		if c := machineOf(f).Conditions(); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// machineOf returns the machine of a part, or one that says nothing.
func machineOf(part *result.File) result.Machine {
	if len(part.Machines) == 0 {
		return result.Machine{}
	}
	return part.Machines[0]
}

// of returns the place of a machine: with its CPU where that is not the same in all of them, and so on.
// A kernel or a version that one of two does not have, since it has another backend, is no difference.
func (all places) of(m result.Machine) place {
	p := place{Conditions: m.Conditions()}
	for _, d := range []struct {
		format string
		of     func(result.Conditions) string
	}{
		{" on %s", func(c result.Conditions) string { return c.CPU }},
		{", kernel %s", func(c result.Conditions) string { return c.Kernel }},
		{", OpenBLAS %s", func(c result.Conditions) string { return c.OpenBLAS }},
		{", %s", func(c result.Conditions) string { return c.Go }},
		{", GOMAXPROCS=%s", func(c result.Conditions) string { return fmt.Sprint(c.GOMAXPROCS) }},
	} {
		mine := d.of(p.Conditions)
		other := func(c result.Conditions) bool { return d.of(c) != "" && d.of(c) != mine }
		if mine != "" && slices.ContainsFunc(all, other) {
			p.shown += fmt.Sprintf(d.format, mine)
		}
	}
	return p
}

// versions are those of the code that measured something, in the order in which they came.
type versions []string

func (v *versions) add(more ...string) {
	for _, version := range more {
		if version != "" && !slices.Contains(*v, version) {
			*v = append(*v, version)
		}
	}
}

// note says that there are several, or nothing.
func (v versions) note() string {
	if len(v) < 2 {
		return ""
	}
	return fmt.Sprintf(" Measured by different versions of the code: %s.", list(v))
}
