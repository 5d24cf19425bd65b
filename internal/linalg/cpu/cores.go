package cpu

import (
	"fmt"
	"strings"
)

// An entry describes a core in the table. Sizes are in KiB; cores is the number of cores that share L2.
type entry struct {
	name           string
	id             uint32
	l1d, l2, cores int
}

// table lists arm64 cores. If chips with the same core differ, it has the smallest common L2.
var table = []entry{
	{"Cortex-A53", 0x41d03, 32, 512, 4},
	{"Cortex-A55", 0x41d05, 32, 128, 1},
	{"Cortex-A57", 0x41d07, 32, 2048, 4},
	{"Cortex-A72", 0x41d08, 32, 1024, 4}, // Raspberry Pi 4
	{"Cortex-A73", 0x41d09, 64, 1024, 4},
	{"Cortex-A76", 0x41d0b, 64, 512, 1}, // Raspberry Pi 5
	{"Cortex-A78", 0x41d41, 32, 512, 1},
	{"Cortex-X1", 0x41d44, 64, 1024, 1},
	{"Cortex-X2", 0x41d48, 64, 1024, 1},
	{"Neoverse N1", 0x41d0c, 64, 1024, 1}, // Graviton 2, Ampere Altra
	{"Neoverse V1", 0x41d40, 64, 1024, 1}, // Graviton 3
	{"Neoverse N2", 0x41d49, 64, 1024, 1},
	{"Azure Cobalt 100", 0x6dd49, 64, 1024, 1},
	{"Neoverse V2", 0x41d4f, 64, 1024, 1}, // Grace; Graviton 4 and Axion have 2 MiB
	{"AmpereOne", 0xc0ac3, 64, 2048, 1},
	{"AmpereOne", 0xc0ac4, 64, 2048, 1},
	{"Oryon", 0x51001, 96, 12288, 4},  // Snapdragon X
	{"Apple", 0x61000, 128, 12288, 4}, // in virtual machines; here and below, the fast cores
	{"Apple M1", 0x61020, 128, 12288, 4},
	{"Apple M2", 0x61030, 128, 16384, 4},
	{"Apple M3", 0x61040, 128, 16384, 6},
	{"Apple M4", 0x61050, 128, 16384, 6},
}

// lookup returns the entry with the given id, or else the last entry whose name occurs in name, or else
// an unknown core with the smallest sizes common among 64-bit CPUs. Blocks that are too small for a
// cache cost a few percent of the speed; blocks that are too large cost much more.
func lookup(id uint32, name string) entry {
	if id>>12 == 0x61 {
		id, name = id&^0xf, "Apple" // the last digit varies with the core and the chip
	}
	words := func(s string) string { return " " + strings.ReplaceAll(s, "-", " ") + " " }
	found := entry{strings.TrimSuffix(fmt.Sprintf("unknown (%#x)", id), " (0x0)"), id, 32, 256, 1}
	for _, e := range table {
		if e.id == id {
			return e
		}
		if strings.Contains(words(name), words(e.name)) {
			found = e
		}
	}
	return found
}
