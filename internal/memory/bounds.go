package memory

import (
	"io/fs"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// bounds returns what is known of the runtime and of the system.
func bounds() []bound {
	var all []bound
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		all = append(all, bound{max(0, most-liveHeap()), "the memory limit of the Go runtime, less what is in use"})
	}
	if runtime.GOOS == "linux" {
		all = append(all, systemBounds(os.DirFS("/"))...)
	}
	return all
}

// liveHeap returns the bytes of the heap that were in use when garbage was last collected.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// systemBounds returns what Linux tells in the files of root: what is available in the machine, and in each control
// group of the process that has a limit.
func systemBounds(root fs.FS) []bound {
	machine := table(root, "proc/meminfo", 1024)
	if machine == nil {
		return nil
	}
	// MemAvailable is an estimate from below. What is free, what files take that can be read again, and what the
	// kernel can give up, is one from above.
	given := machine["MemFree"] + machine["Buffers"] + machine["Cached"] - machine["Shmem"] + machine["SReclaimable"]
	swap := machine["SwapFree"]
	all := []bound{{max(machine["MemAvailable"], given) + swap, "what is available in the machine, with swap"}}
	for _, g := range groups(root) {
		if room, ok := g.room(root); ok {
			all = append(all, bound{room + swap, "the limit of the control group " + g.name + ", less what is in use, with swap"})
		}
	}
	return all
}
