package result

import (
	"fmt"
	"strings"
)

// Conditions are what of a Machine times depend on. Times are put side by side only where they are
// equal. The version of this module is not among them, since most changes of it make no difference to a
// given time: where versions differ, that is to be said.
type Conditions struct {
	CPU        string
	GOMAXPROCS int
	Go         string // version and platform
	Backends   string // separated by commas
	Kernel     string
	OpenBLAS   string
	Threads    string // separated by commas
}

// Conditions returns the conditions of what was measured on m.
func (m Machine) Conditions() Conditions {
	return Conditions{
		CPU: m.CPU, GOMAXPROCS: m.GOMAXPROCS, Go: m.Go, Backends: strings.Join(m.Backends, ", "), Kernel: m.Kernel, OpenBLAS: m.OpenBLAS,
		Threads: strings.Trim(strings.Join(strings.Fields(fmt.Sprint(m.Threads)), ", "), "[]"),
	}
}

// Differences says in what c is not other, each as "threads 1 and 2", or returns nil where times of
// both can be compared.
func (c Conditions) Differences(other Conditions) []string {
	var all []string
	for _, d := range []struct{ name, a, b string }{
		{"the CPU", c.CPU, other.CPU},
		{"GOMAXPROCS", fmt.Sprint(c.GOMAXPROCS), fmt.Sprint(other.GOMAXPROCS)},
		{"Go", c.Go, other.Go},
		{"the backend", c.Backends, other.Backends},
		{"the kernel", c.Kernel, other.Kernel},
		{"OpenBLAS", c.OpenBLAS, other.OpenBLAS},
		{"threads", c.Threads, other.Threads},
	} {
		if d.a != d.b {
			all = append(all, fmt.Sprintf("%s %s and %s", d.name, orNone(d.a), orNone(d.b)))
		}
	}
	return all
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
