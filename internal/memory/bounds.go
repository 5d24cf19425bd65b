package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// A bound is what the system can give by one rule.
type bound struct {
	bytes int64
	rule  string
}

// least returns the lowest of the bounds and of the address space.
func least(all []bound) bound {
	lowest := bound{addressable, "the address space of the process"}
	for _, b := range all {
		if b.bytes < lowest.bytes {
			lowest = b
		}
	}
	return lowest
}

// bounds returns the bounds of the runtime and of the system.
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

// liveHeap returns the bytes of the heap that were in use after the last collection of garbage.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// systemBounds returns the bounds that Linux's files below root give: of the machine, and of each
// control group of the process that has a limit.
func systemBounds(root fs.FS) []bound {
	machine := table(root, "proc/meminfo", 1024)
	if machine == nil {
		return nil
	}
	// MemAvailable estimates from below. What is free, what files take that can be read again, and
	// what the kernel can give up, estimates from above.
	given := machine["MemFree"] + machine["Buffers"] + machine["Cached"] - machine["Shmem"] + machine["SReclaimable"]
	swap := machine["SwapFree"]
	all := []bound{{max(machine["MemAvailable"], given) + swap, "what is available in the machine, with swap"}}
	for _, g := range groups(root) {
		if room, ok := g.room(root); ok {
			rule := "the limit of the control group " + g.name + ", less what is in use, with swap"
			all = append(all, bound{room + swap, rule})
		}
	}
	return all
}

// A group is a control group of version 1 or 2.
type group struct {
	name   string
	folder string   // in the root
	most   string   // the file of the limit
	used   string   // the file of what is in use
	files  []string // entries of memory.stat that the kernel can give up
}

// groups returns the control groups of the process that may bound its memory, and their ancestors. In a
// container the names may be those outside of it: then only the group at the top exists, which is that
// of the container.
func groups(root fs.FS) []group {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3) // number:controllers:name
		if len(fields) != 3 {
			continue
		}
		g := group{name: path.Clean("/" + fields[2])}
		switch {
		case fields[0] == "0" && fields[1] == "":
			g.folder, g.most, g.used = "sys/fs/cgroup", "memory.max", "memory.current"
			g.files = []string{"active_file", "inactive_file", "slab_reclaimable"}
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			g.folder, g.most, g.used = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
			g.files = []string{"total_active_file", "total_inactive_file"}
		default:
			continue
		}
		for top := g.folder; ; g.name = path.Dir(g.name) {
			g.folder = path.Join(top, g.name)
			all = append(all, g)
			if g.name == "/" {
				break
			}
		}
	}
	return all
}

// room returns what the group's limit leaves if the kernel gives up all that it can, and whether the
// group has a limit.
func (g group) room(root fs.FS) (bytes int64, ok bool) {
	most, ok := number(root, path.Join(g.folder, g.most))
	if !ok || most > math.MaxInt64/2 { // version 1 writes the largest number of pages for no limit
		return 0, false
	}
	used, ok := number(root, path.Join(g.folder, g.used))
	if !ok {
		return 0, false
	}
	stat := table(root, path.Join(g.folder, "memory.stat"), 1)
	for _, name := range g.files {
		used -= stat[name]
	}
	return max(0, most-max(0, used)), true
}

// number reads a file that holds one number.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// table reads a file of lines that begin with a name and a number in a unit. It returns nil without the
// file.
func table(root fs.FS, name string, unit int64) map[string]int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil
	}
	entries := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			entries[strings.TrimSuffix(fields[0], ":")] = times(max(0, n), unit)
		}
	}
	return entries
}
