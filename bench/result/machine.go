package result

import (
	"fmt"
	"runtime"
	"time"

	"blskernel"
	"blskernel/internal/io/names"
	"blskernel/internal/linalg/cpu"
)

// A Machine describes the machine and the conditions of measurements.
type Machine struct {
	Command    string    `json:"command"` // with its arguments
	Date       time.Time `json:"date"`
	Version    string    `json:"version"` // of this module, as recorded by the go command
	CPU        string    `json:"cpu"`
	Features   []string  `json:"features"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	Go         string    `json:"go"` // version and platform
	Backends   []string  `json:"backends"`
	Kernel     string    `json:"kernel,omitempty"`   // of the backend pure
	OpenBLAS   string    `json:"openblas,omitempty"` // its version
	Threads    []int     `json:"threads"`            // the maximum number, or all that were compared; 0 for the default
	Beside     int       `json:"beside,omitempty"`   // the number of other processes that each kept a CPU busy
	Attempts   int       `json:"attempts,omitempty"` // the number of runs, including this run, if the FMA peak moved in earlier runs
}

// Here describes this machine and process, the given command line, and the backends to be measured.
func Here(command string, backends ...blskernel.Backend) Machine {
	m := Machine{
		Command: command, Date: time.Now().UTC().Truncate(time.Second), Version: names.Version(),
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
