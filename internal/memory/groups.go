package memory

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// A group is a control group, of either version.
type group struct {
	name   string
	folder string // in the root
	most   string // the files of the limit and of what is in use
	used   string
	files  []string // entries of memory.stat that can be given up
}

// groups returns the control groups of the process that may bound its memory, and those that they are in. In a
// container the names may be those outside of it; then only the group at the top is found, which is that of the
// container.
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
		case hasController(fields[1]):
			g.folder, g.most, g.used = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
			g.files = []string{"total_active_file", "total_inactive_file"}
		default:
			continue
		}
		top := g.folder
		for {
			g.folder = path.Join(top, g.name)
			all = append(all, g)
			if g.name == "/" {
				break
			}
			g.name = path.Dir(g.name)
		}
	}
	return all
}

// hasController tells whether the memory controller of version 1 is among those listed.
func hasController(list string) bool {
	for _, c := range strings.Split(list, ",") {
		if c == "memory" {
			return true
		}
	}
	return false
}

// room returns what the group's limit leaves if everything is given up that can be, and whether it has a limit.
func (g group) room(root fs.FS) (bytes int64, ok bool) {
	most, ok := number(root, path.Join(g.folder, g.most))
	if !ok || most > math.MaxInt64/2 { // version 1 has the largest number of pages for none
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

// number reads a file that is one number.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// table reads a file of lines that begin with a name and a number, which is in the given unit. It is nil where there is no
// such file.
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
