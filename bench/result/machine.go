package result

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/cpu"
)

// A Machine is what measurements were made on and how.
type Machine struct {
	Command    string    `json:"command"` // with its arguments
	Date       time.Time `json:"date"`
	Version    string    `json:"version"` // of this module: a release, or the revision with + where it was changed
	CPU        string    `json:"cpu"`
	Features   []string  `json:"features"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	Go         string    `json:"go"` // version and platform
	Backends   []string  `json:"backends"`
	Kernel     string    `json:"kernel,omitempty"`   // of the backend pure
	OpenBLAS   string    `json:"openblas,omitempty"` // its version
	Threads    []int     `json:"threads"`            // at most; several where they are compared, 0 for the default
	Beside     int       `json:"beside,omitempty"`   // processes that kept a CPU busy each meanwhile
}

// Here describes this machine and process, for measurements on some backends that begin now.
func Here(command string, backends ...blskernel.Backend) Machine {
	m := Machine{
		Command: command, Date: time.Now().UTC().Truncate(time.Second), Version: version(),
		CPU: cpu.Name(), Features: cpu.Features(),
		GOMAXPROCS: runtime.GOMAXPROCS(0), Go: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		Threads: []int{blskernel.Threads()},
	}
	for _, b := range backends {
		m.Backends = append(m.Backends, b.Name())
		switch info := blskernel.Describe(b); info.Name {
		case "pure":
			m.Kernel = info.Kernel
		case "openblas":
			m.OpenBLAS = info.Version
		}
	}
	return m
}

// version returns the version of the module, or the revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision != "" {
		return revision + changed
	}
	return cmp.Or(info.Main.Version, "unknown")
}

// Conditions are the fields of a Machine that times depend on. The version of this module is not among
// them, since most changes of it make no difference to a given time.
type Conditions struct {
	CPU        string
	GOMAXPROCS int
	Go         string // version and platform
	Backends   string // separated by commas
	Kernel     string
	OpenBLAS   string
	Threads    string // separated by commas
	Beside     int
}

// Conditions returns the conditions of what was measured on m.
func (m Machine) Conditions() Conditions {
	var threads []string
	for _, n := range m.Threads {
		threads = append(threads, speed.ThreadsName(n))
	}
	return Conditions{
		CPU: m.CPU, GOMAXPROCS: m.GOMAXPROCS, Go: m.Go, Backends: strings.Join(m.Backends, ", "), Kernel: m.Kernel, OpenBLAS: m.OpenBLAS,
		Threads: strings.Join(threads, ", "), Beside: m.Beside,
	}
}
