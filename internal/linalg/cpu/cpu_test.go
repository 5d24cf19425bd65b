package cpu

import (
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCPU(t *testing.T) {
	if Name() == "" {
		t.Error("the CPU has no name")
	}
	c := CacheSizes()
	if c.L1D <= 0 || c.L2 <= 0 || c.L3 < 0 || c.L2Cores <= 0 || c.L2Share() > c.L2 {
		t.Errorf("CacheSizes() = %+v", c)
	}
	// Every 64-bit CPU has the first of its instruction sets; a 32-bit one may. Under the build tag
	// noasm, cpuid does not ask an x86; on arm64 the system still lists them.
	features, first := Features(), ""
	switch {
	case runtime.GOARCH == "386":
		return
	case runtime.GOARCH == "arm64":
		first = "ASIMD"
	case runtime.GOARCH == "amd64" && !noasm:
		first = "SSE2"
	}
	if first == "" && len(features) > 0 || first != "" && (len(features) == 0 || features[0] != first) {
		t.Errorf("%s has %v, want %q and what follows", runtime.GOARCH, features, first)
	}
}

// files returns the files of a machine as 'grep -r . /proc/cpuinfo /sys/devices/system/cpu/*/cache'
// lists them. They were not recorded: only ids, sizes and shares are the machine's.
func files(t *testing.T, machine string) fstest.MapFS {
	text, err := os.ReadFile("testdata/" + machine)
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	for line := range strings.Lines(string(text)) {
		path, content, ok := strings.Cut(strings.TrimPrefix(line, "/"), ":")
		if !ok {
			t.Fatalf("%s: %q", machine, line)
		}
		if root[path] == nil {
			root[path] = &fstest.MapFile{}
		}
		root[path].Data = append(root[path].Data, content...)
	}
	return root
}

const kib, mib = 1 << 10, 1 << 20

func TestLinux(t *testing.T) {
	for _, tc := range []struct {
		machine, name string
		want          Caches
	}{
		{"graviton2.txt", "Neoverse N1", Caches{L1D: 64 * kib, L2: mib, L3: 32 * mib, L2Cores: 1, Source: "reported"}},
		{"m1.txt", "Apple M1", Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: 4, Source: "reported"}},                    // two kinds of cores
		{"rk3588.txt", "Cortex-A76", Caches{L1D: 64 * kib, L2: 512 * kib, L3: 3 * mib, L2Cores: 1, Source: "reported"}}, // also
		{"raspberry-pi4.txt", "Cortex-A72", Caches{L1D: 32 * kib, L2: mib, L2Cores: 4, Source: "reported"}},
		{"thunderx2.txt", "unknown (0x430af)", Caches{L1D: 32 * kib, L2: 256 * kib, L3: 28 * mib, L2Cores: 1, Source: "reported"}}, // four threads a core
		{"m-virtual.txt", "Apple", Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: 4, Source: "assumed: Apple"}},
		{"container.txt", "Neoverse V2", Caches{L1D: 64 * kib, L2: mib, L2Cores: 1, Source: "assumed: Neoverse V2"}},
	} {
		if c := choose(fromLinux(files(t, tc.machine))); c.name != tc.name || c.caches != tc.want {
			t.Errorf("%s: %q %+v, want %q %+v", tc.machine, c.name, c.caches, tc.name, tc.want)
		}
	}

	// In emulation the files are the host's, and the name is the emulated CPU's.
	x86 := choose(fromLinux(files(t, "x86.txt")))
	if want := (Caches{L1D: 48 * kib, L2: mib, L3: 32 * mib, L2Cores: 1, Source: "reported"}); x86.name == "" || x86.caches != want {
		t.Errorf("an x86: %+v, want %+v", x86, want)
	}
	empty := choose(fromLinux(fstest.MapFS{}))
	if c := empty.caches; c.L1D < 32*kib || c.L2 < 256*kib || c.L3 != 0 || c.L2Cores < 1 || !strings.HasPrefix(c.Source, "assumed: ") {
		t.Errorf("no files: %+v", empty)
	}

	// If a size is missing, all come from the table.
	root := files(t, "m1.txt")
	delete(root, "sys/devices/system/cpu/cpu4/cache/index2/size")
	root["sys/devices/system/cpu/cpu4/cache/index2/shared_cpu_list"].Data = []byte("4\n")
	if c := choose(fromLinux(root)).caches; c != (Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: 4, Source: "assumed: Apple M1"}) {
		t.Errorf("M1 without L2: %+v", c)
	}
}

// TestWrongShares has a virtual machine that reports too many CPUs that share L2, and a count of -1.
func TestWrongShares(t *testing.T) {
	root := files(t, "graviton2.txt")
	root["sys/devices/system/cpu/cpu0/cache/index2/shared_cpu_list"].Data = []byte("0-99999999\n")
	want := Caches{L1D: 64 * kib, L2: mib, L2Cores: 1, Source: "assumed: Neoverse N1"}
	if c := choose(fromLinux(root)); c.name != "Neoverse N1" || c.caches != want {
		t.Errorf("%q %+v, want %+v", c.name, c.caches, want)
	}
	one := choose([]core{{name: "Apple M1", caches: Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: -1}}})
	if want := (Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: 4, Source: "reported"}); one.caches != want {
		t.Errorf("%+v, want %+v", one.caches, want)
	}
}

func TestSysctl(t *testing.T) {
	number := func(n uint64, size int) string {
		return string(binary.LittleEndian.AppendUint64(nil, n)[:size])
	}
	const l1d, l2, shared = "hw.perflevel0.l1dcachesize", "hw.perflevel0.l2cachesize", "hw.perflevel0.cpusperl2"
	for _, tc := range []struct {
		machine, name string
		variables     map[string]string
		want          Caches
	}{
		{"a Mac", "Apple M3 Max", map[string]string{"machdep.cpu.brand_string": "Apple M3 Max\x00", "hw.model": "Mac15,8\x00",
			l1d: number(131072, 8), l2: number(16<<20, 8), shared: number(6, 4), "hw.l1dcachesize": number(65536, 8), "hw.l2cachesize": number(4<<20, 8)},
			Caches{L1D: 128 * kib, L2: 16 * mib, L2Cores: 6, Source: "reported"}},
		{"macOS in a virtual machine", "Apple M2 (Virtual)", map[string]string{"machdep.cpu.brand_string": "Apple M2 (Virtual)\x00", l1d: number(131072, 4)},
			Caches{L1D: 128 * kib, L2: 16 * mib, L2Cores: 4, Source: "assumed: Apple M2"}},
		{"FreeBSD", "ARM Neoverse-N1 r3p1", map[string]string{"hw.model": "ARM Neoverse-N1 r3p1\x00"},
			Caches{L1D: 64 * kib, L2: mib, L2Cores: 1, Source: "assumed: Neoverse N1"}},
		{"OpenBSD", "Apple Icestorm Pro r1p1", map[string]string{"hw.model": "Apple Icestorm Pro r1p1\x00"},
			Caches{L1D: 128 * kib, L2: 12 * mib, L2Cores: 4, Source: "assumed: Apple"}},
		{"NetBSD", "Cortex-A72", map[string]string{"hw.model": "Raspberry Pi 4 Model B\x00", "machdep.cpu0.cpu_id": number(0x410fd083, 8) + number(7, 8)},
			Caches{L1D: 32 * kib, L2: mib, L2Cores: 4, Source: "assumed: Cortex-A72"}},
		{"an unknown one", "Vortex86-A7 r9", map[string]string{"hw.model": "Vortex86-A7 r9\x00"},
			Caches{L1D: 32 * kib, L2: 256 * kib, L2Cores: 1, Source: "assumed: unknown"}},
		{"one that tells nothing", "unknown", nil,
			Caches{L1D: 32 * kib, L2: 256 * kib, L2Cores: 1, Source: "assumed: unknown"}},
	} {
		c := choose([]core{fromSysctl(func(name string) []byte { return []byte(tc.variables[name]) })})
		if c.name != tc.name || c.caches != tc.want {
			t.Errorf("%s: %q %+v, want %q %+v", tc.machine, c.name, c.caches, tc.name, tc.want)
		}
	}
}

// Every entry of the table is found by its id, by its name and by its register value; the last digit of
// Apple's parts makes no difference. The sizes occur in real caches.
func TestTable(t *testing.T) {
	for _, e := range table {
		midr := uint64(e.id>>12<<24 | 0xf<<16 | e.id&0xfff<<4 | 1)
		if got := lookup(idOf(midr), ""); got != e {
			t.Errorf("id %#x: %+v", e.id, got)
		}
		named := lookup(0, "ARM "+strings.ReplaceAll(e.name, " ", "-")+" r1p2")
		if named.id = e.id; named != e {
			t.Errorf("%s: %+v", e.name, named)
		}
		if e.l1d < 32 || e.l1d > 128 || e.l2 < e.l1d || e.l2 > 1<<14 || e.cores < 1 || e.l2/e.cores < 128 || e.id>>20 != 0 {
			t.Errorf("%+v", e)
		}
	}
	for id, want := range map[uint32]string{0x61023: "Apple M1", 0x61039: "Apple M2", 0x61053: "Apple M4", 0x61071: "Apple", 0x41d0d: "unknown (0x41d0d)", 0: "unknown"} {
		if got := lookup(id, "").name; got != want {
			t.Errorf("id %#x: %q, want %q", id, got, want)
		}
	}
	for name, want := range map[string]string{"ARM Cortex-A725 r0p1": "unknown", "Apple M1 Max": "Apple M1", "Snapdragon(R) X Elite - Qualcomm(R) Oryon(TM) CPU": "unknown"} {
		if got := lookup(0, name).name; got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
