// Package info implements the info command, which describes the backend, the CPU and the kernels.
package info

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"blskernel"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/linalg/cpu"
	"blskernel/internal/selftest"

	"github.com/spf13/cobra"
)

// Information is the output of 'blskernel info'.
type Information struct {
	Backend  string            `json:"backend"`
	Why      string            `json:"why"`
	Usable   []string          `json:"usable"`
	Missing  map[string]string `json:"missing,omitempty"` // for each unavailable backend, the reason
	OpenBLAS string            `json:"openblas,omitempty"`
	Threads  int               `json:"threads"`
	CPU      string            `json:"cpu"`
	Features []string          `json:"features"`
	Caches   cpu.Caches        `json:"caches"`
	Kernel   string            `json:"kernel,omitempty"`
	Kernels  []string          `json:"kernels"`
	Blocks   blockSizes        `json:"blocks"`
	SelfTest string            `json:"selfTest,omitempty"` // a hash of results of the pure backend
	Go       string            `json:"go"`
}

type blockSizes struct{ MC, KC, NC int }

func gather() (Information, error) {
	info := Information{
		Usable: blskernel.Names(), Missing: map[string]string{}, Threads: blskernel.Threads(),
		CPU: cpu.Name(), Features: cpu.Features(), Caches: cpu.CacheSizes(),
		Kernels: backend.Kernels(),
		Go:      fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
	}
	b, err := blskernel.Lookup("")
	if err != nil {
		return info, err
	}
	chosen := blskernel.Describe(b)
	info.Backend, info.Why = chosen.Name, chosen.Reason
	pure := b
	if chosen.Library != "" {
		pure, err = blskernel.Lookup("pure")
	}
	if err != nil {
		info.Missing["pure"] = err.Error()
	} else {
		info.Kernel = blskernel.Describe(pure).Kernel
		info.Blocks.MC, info.Blocks.KC, info.Blocks.NC, _ = backend.BlockSizes(pure)
		info.SelfTest = selftest.SelfTest(pure)
	}
	if b, err := blskernel.Lookup("openblas"); err != nil {
		info.Missing["openblas"] = err.Error()
	} else {
		info.OpenBLAS = blskernel.Describe(b).Version
	}
	return info, nil
}

// New returns the info command.
func New(s ui.Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Describe the backend, the CPU and the kernels",
		Long: `Describe the backend and why it was chosen, the features and caches of the CPU, and the kernel and block
sizes of the pure backend. The self-test is a hash of some results of that backend. It is the same on
every 64-bit machine with fused multiply-adds, so a different hash is a sign of different arithmetic.`,
		Example: "  blskernel info\n  BLSKERNEL_BACKEND=pure blskernel info --json",
		Args:    ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, err := gather()
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(s.Out)
				enc.SetIndent("", "  ")
				return enc.Encode(info)
			}
			return info.print(s.Out)
		},
	}
	ui.JSONFlag(cmd, &asJSON, "one JSON object")
	return cmd
}

func (i Information) print(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", name, ui.OneLine(fmt.Sprintf(format, args...)))
	}
	line("backend", "%s (%s)", i.Backend, i.Why)
	line("usable", "%s", strings.Join(i.Usable, ", "))
	for _, name := range slices.Sorted(maps.Keys(i.Missing)) {
		line("not usable", "%s", i.Missing[name])
	}
	if i.OpenBLAS != "" {
		line("openblas", "%s", i.OpenBLAS)
	}
	line("threads", "%d", i.Threads)
	line("cpu", "%s", i.CPU)
	line("cpu features", "%s", strings.Join(i.Features, " "))
	line("caches", "L1D %d KiB, L2 %d KiB (cores per L2: %d), L3 %d KiB, %s", i.Caches.L1D>>10, i.Caches.L2>>10, i.Caches.L2Cores, i.Caches.L3>>10, i.Caches.Source)
	if i.Kernel != "" {
		line("kernel", "%s (usable: %s)", i.Kernel, strings.Join(i.Kernels, ", "))
		line("block sizes", "MC %d, KC %d, NC %d", i.Blocks.MC, i.Blocks.KC, i.Blocks.NC)
		line("self-test", "%s (%s)", i.SelfTest, cmp.Or(selftest.Outside(), "the same on every 64-bit machine with fused multiply-adds: docs/reproducibility.md"))
	}
	line("go", "%s", i.Go)
	_, err := io.WriteString(w, b.String())
	return err
}
