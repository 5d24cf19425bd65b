package cpu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// fromLinux returns the kinds of cores that Linux describes in the files below root. In some containers
// and virtual machines the files lack sizes or are missing.
func fromLinux(root fs.FS) (cores []core) {
	text, _ := fs.ReadFile(root, "proc/cpuinfo")
	seen := map[uint32]bool{}
	var cpu, implementer uint64
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseUint(strings.TrimSpace(value), 0, 32)
		switch strings.TrimSpace(key) {
		case "processor":
			cpu = n
		case "CPU implementer":
			implementer = n
		case "CPU part":
			// One CPU of each kind is enough: a machine may have hundreds.
			if id := uint32(implementer<<12 | n); !seen[id] {
				seen[id] = true
				cores = append(cores, core{id: id, caches: cachesOf(root, cpu)})
			}
		}
	}
	if cores == nil {
		cores = []core{{caches: cachesOf(root, 0)}}
		if cpuid.CPU.VendorID == cpuid.ARM { // in QEMU's user mode the files are the host's
			cores[0].id = 0x41<<12 | uint32(cpuid.CPU.Model>>4)
		}
	}
	return cores
}

func cachesOf(root fs.FS, cpu uint64) (c Caches) {
	threads, shared := 0, 0 // the numbers of CPUs that share one L1, and one L2
	for i := 0; ; i++ {
		read := func(name string) string {
			text, _ := fs.ReadFile(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, i, name))
			return strings.TrimSpace(string(text))
		}
		size, _ := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		switch level := read("level"); {
		case level == "":
			c.L2Cores = shared / max(threads, 1)
			return c
		case read("type") == "Instruction":
		case level == "1":
			c.L1D, threads = size<<10, listed(read("shared_cpu_list"))
		case level == "2":
			c.L2, shared = size<<10, listed(read("shared_cpu_list"))
		case level == "3":
			c.L3 = size << 10
		}
	}
}

// listed returns the number of CPUs in a list such as "0-3,8".
func listed(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, _ := strings.Cut(part, "-")
		if a, err := strconv.Atoi(first); err == nil {
			b, _ := strconv.Atoi(last)
			n += max(b-a, 0) + 1
		}
	}
	return n
}

// fromSysctl returns the core that the sysctl variables of macOS or a BSD describe. read returns the
// bytes of a variable, or none if it does not exist. macOS reports the caches of the fast cores.
// FreeBSD and OpenBSD name a core in hw.model. NetBSD's cpu_id begins with MIDR_EL1.
func fromSysctl(read func(name string) []byte) core {
	number := func(name string) int {
		return int(binary.LittleEndian.Uint64(append(read(name), make([]byte, 8)...)))
	}
	if midr := number("machdep.cpu0.cpu_id"); midr != 0 {
		return core{id: idOf(uint64(midr))}
	}
	name := cmp.Or(string(read("machdep.cpu.brand_string")), string(read("hw.model")))
	return core{name: strings.TrimRight(name, "\x00"), caches: Caches{
		L1D:     number("hw.perflevel0.l1dcachesize"),
		L2:      number("hw.perflevel0.l2cachesize"),
		L2Cores: number("hw.perflevel0.cpusperl2"),
	}}
}
