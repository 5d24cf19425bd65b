package memory

import (
	"cmp"
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

// A bound is the largest number of bytes that the system can give, according to one rule.
type bound struct {
	bytes int64
	rule  string
}

// least returns the lowest bound in all, or the bound of the address space if that is lower.
func least(all []bound) bound {
	space := bound{addressable, "the address space of the process"}
	return slices.MinFunc(append([]bound{space}, all...), func(a, b bound) int { return cmp.Compare(a.bytes, b.bytes) })
}

// bounds returns the bounds that the Go runtime and the operating system set.
func bounds() []bound {
	var all []bound
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		all = append(all, bound{max(0, limit-liveHeap()), "the memory limit of the Go runtime, less the memory in use"})
	}
	if runtime.GOOS == "linux" {
		all = append(all, systemBounds(os.DirFS("/"))...)
	}
	return all
}

// liveHeap returns the bytes of the heap in use after the last garbage collection.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// systemBounds reads Linux's files below root. It returns a bound for the machine, and one for the
// control group (version 2) of the process and for each ancestor of the group, if they have limits.
func systemBounds(root fs.FS) []bound {
	machine := table(root, "proc/meminfo", 1024)
	if machine == nil {
		return nil
	}
	// MemAvailable is a low estimate. Free memory, cached files and memory that the kernel can
	// reclaim add up to a high estimate.
	given := machine["MemFree"] + machine["Buffers"] + machine["Cached"] - machine["Shmem"] + machine["SReclaimable"]
	swap := machine["SwapFree"]
	all := []bound{{max(machine["MemAvailable"], given) + swap, "the free and reclaimable memory of the machine, plus free swap"}}
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	_, rest, _ := strings.Cut("\n"+string(text), "\n0::")
	name, _, _ := strings.Cut(rest, "\n")
	// In a container proc/self/cgroup may have the name on the host, but the group is then at "/".
	for group := path.Clean("/" + name); ; group = path.Dir(group) {
		if bytes, ok := room(root, group); ok {
			rule := "the limit of the control group " + group + ", less the memory in use, plus free swap"
			all = append(all, bound{Sum(bytes, swap), rule})
		}
		if group == "/" {
			return all
		}
	}
}

// reclaimable are the entries of memory.stat for memory that the kernel can reclaim.
var reclaimable = []string{"active_file", "inactive_file", "slab_reclaimable"}

// room returns the bytes left below a group's limit after the kernel reclaims all that it can. ok is
// false if the group has no limit, or if its use is unknown.
func room(root fs.FS, group string) (bytes int64, ok bool) {
	folder := path.Join("sys/fs/cgroup", group)
	limit, limited := number(root, path.Join(folder, "memory.max"))
	used, known := number(root, path.Join(folder, "memory.current"))
	if !limited || !known {
		return 0, false
	}
	stat := table(root, path.Join(folder, "memory.stat"), 1)
	for _, name := range reclaimable {
		used -= stat[name]
	}
	return max(0, limit-max(0, used)), true
}

// number returns the number in a file that contains nothing else, and whether it could be read.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// table reads a file with lines that begin with a name and a number. It maps each name to unit times
// max(0, number), and returns nil if the file cannot be read.
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
