package memory

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSizes(t *testing.T) {
	const most = math.MaxInt64
	for _, tc := range []struct{ got, want int64 }{
		{Floats(), 8}, {Floats(3, 5), 120}, {Floats(0, math.MaxInt), 0}, {Floats(1<<30, 1<<29), 1 << 62},
		{Floats(1<<30, 1<<30), most}, {Floats(1<<30, 1<<30, 1<<30), most}, {Floats(1<<30, 1<<30, 0), 0},
		{Triangle(0), 0}, {Triangle(3), 48}, {Triangle(1 << 30), 1<<62 + 1<<32}, {Triangle(math.MaxInt), most},
		{Sum(), 0}, {Sum(1, 2, 3), 6}, {Sum(most-1, 1), most}, {Sum(most, 1), most}, {Sum(1<<62, 1<<62), most},
	} {
		if tc.got != tc.want {
			t.Errorf("%d; want %d", tc.got, tc.want)
		}
	}
}

// check is Check for a fit, with the error as it is.
func check(bytes int64) *Error {
	var e *Error
	if err := Check(bytes, "bls", "take fewer nodes", "a fit of %d nodes", 7); !errors.As(err, &e) {
		return nil
	}
	return e
}

// TestAddressable checks that an int can count every size below the bound.
func TestAddressable(t *testing.T) {
	if int64(addressable)/8 > math.MaxInt {
		t.Errorf("%d numbers are beyond an int", int64(addressable)/8)
	}
	e := check(addressable + 1)
	if e == nil || e.Need != addressable+1 || e.Have > addressable {
		t.Errorf("%+v", e)
	}
	if e := check(math.MaxInt64); e == nil || !strings.Contains(e.Error(), "at least 9 EB of memory") {
		t.Errorf("%+v", e)
	}
}

// TestLimit compares with the limit that was set, even for small amounts.
func TestLimit(t *testing.T) {
	undo := Limit(1000)
	defer undo()
	if e := check(1000); e != nil {
		t.Error(e)
	}
	e := check(1001)
	if e == nil || e.Need != 1001 || e.Have != 1000 {
		t.Fatalf("%+v", e)
	}
	if want := "bls: a fit of 7 nodes needs at least 1 kB of memory, but at most 1 kB is available (as it was set): take fewer nodes"; e.Error() != want {
		t.Errorf("%v; want %s", e, want)
	}
	undo()
	if e := check(small - 1); e != nil {
		t.Error(e)
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 1234567: "1.23 MB", 8 << 30: "8.59 GB", 999_600_000_000_000: "1 PB", 1 << 62: "4.61 EB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s; want %s", n, got, want)
		}
	}
}

// TestGarbage checks that Check collects garbage before it refuses: with a runtime limit that only
// garbage fills, work that fits is not refused, and work beyond the limit is.
func TestGarbage(t *testing.T) {
	runtime.GC()
	before := liveHeap()
	room := int64(3 * small)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(before + room))
	func() {
		garbage := make([]byte, 2*small)
		runtime.GC()
		if e := check(2 * small); e == nil || e.Have > room-2*small+1<<20 || !strings.Contains(e.Limit, "Go runtime") {
			t.Errorf("with %d bytes in use: %+v", len(garbage), e)
		}
		runtime.KeepAlive(garbage)
	}()
	if e := check(2 * small); e != nil {
		t.Errorf("with garbage: %v", e)
	}
	if e := check(room + small); e == nil {
		t.Error("more than the limit is not refused")
	}
}

const meminfo = `MemTotal:        8000000 kB
MemFree:         1000000 kB
MemAvailable:    2000000 kB
Buffers:          100000 kB
Cached:          1500000 kB
SwapFree:         500000 kB
Shmem:            200000 kB
SReclaimable:      50000 kB
HugePages_Total:       0
odd
`

func TestSystemBounds(t *testing.T) {
	// 1,000,000 + 100,000 + 1,500,000 - 200,000 + 50,000 kB exceeds the stated available memory.
	const machine = (2_450_000 + 500_000) * 1024
	const swap = 500_000 * 1024
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, tc := range map[string]struct {
		files fstest.MapFS
		want  int64 // of the lowest bound
		rule  string
	}{
		"no files": {fstest.MapFS{}, addressable, "address space"},
		"machine":  {fstest.MapFS{"proc/meminfo": file(meminfo)}, machine, "machine"},
		"available is more": {fstest.MapFS{"proc/meminfo": file(strings.Replace(meminfo, "MemAvailable:    2000000", "MemAvailable:    2500000", 1))},
			3_000_000 * 1024, "machine"},
		"a limit": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("7:cpu,memory:/x\nnonsense\n0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/b/memory.current": file("1\n"),
			"sys/fs/cgroup/a/memory.max": file("1000000\n"), "sys/fs/cgroup/a/memory.current": file("900000\n"),
			"sys/fs/cgroup/a/memory.stat": file("anon 100000\nactive_file 300000\ninactive_file 200000\nslab_reclaimable 5000\n"),
		}, 605_000 + swap, "control group /a,"},
		"a container": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/../outside\n"),
			"sys/fs/cgroup/memory.max": file("1000\n"), "sys/fs/cgroup/memory.current": file("5000\n"),
		}, swap, "control group /,"},
		"no use is told": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("1000\n"),
		}, machine, "machine"},
	} {
		if got := least(systemBounds(tc.files)); got.bytes != tc.want || !strings.Contains(got.rule, tc.rule) {
			t.Errorf("%s: %+v; want %d by the %s", name, got, tc.want, tc.rule)
		}
	}
}
