package memory

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestAdvice checks the flags of the memory that Zeros returns: it asks for large pages from the first
// whole one to the last, until the array is garbage.
func TestAdvice(t *testing.T) {
	probe, err := unix.Mmap(-1, 0, 3*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(probe)
	if unix.Madvise(probe, unix.MADV_HUGEPAGE) != nil || !advised(t, uintptr(unsafe.Pointer(&probe[0]))) {
		t.Skip("this kernel takes no advice on pages, or does not show it")
	}
	defer func(before func() bool) { declined = before }(declined)
	declined = func() bool { return false }
	x := Zeros(5 * hugePage / 8)
	from, to := inside(x)
	for i := from; i < to; i += hugePage / 8 {
		if !advised(t, uintptr(unsafe.Pointer(&x[i]))) {
			t.Errorf("no advice for element %d of [%d, %d)", i, from, to)
		}
	}

	at := uintptr(unsafe.Pointer(&x[from]))
	x = nil
	for tries := 0; advised(t, at); tries++ {
		if tries == 1000 {
			t.Fatal("the advice remains after the array was freed")
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}

// TestUnwanted reads GODEBUG, the mode of large pages, and the order of the blocks as kernels show it,
// with and without reporting.
func TestUnwanted(t *testing.T) {
	const (
		enabled = "sys/kernel/mm/transparent_hugepage/enabled"
		order   = "sys/module/page_reporting/parameters/page_reporting_order"
		madvise = "always [madvise] never\n"
	)
	for _, tc := range []struct {
		enabled, order, godebug string
		want                    bool
	}{
		{madvise, "", "", false}, {madvise, "0\n", "", false}, {madvise, "-1\n", "", false},
		{madvise, "11\n", "disablethp=0", false}, {madvise, "4294967295\n", "gctrace=0", false},
		{madvise, "1\n", "", true}, {madvise, "9\n", "", true}, {madvise, "10\n", "", true},
		{madvise, "", "disablethp=1", true}, {madvise, "-1\n", "gctrace=0,disablethp=1", true},
		{"[always] madvise never\n", "", "", true}, {"always madvise [never]\n", "", "", true}, {"", "", "", true},
	} {
		root := fstest.MapFS{enabled: {Data: []byte(tc.enabled)}, order: {Data: []byte(tc.order)}}
		if got := unwanted(root, tc.godebug); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	for size, want := range map[string]bool{"2097152\n": false, "33554432\n": true, "536870912\n": true, "": false} {
		root := fstest.MapFS{enabled: {Data: []byte(madvise)}, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size": {Data: []byte(size)}}
		if got := unwanted(root, ""); got != want {
			t.Errorf("large pages of %q bytes: %v", size, got)
		}
	}
	if !unwanted(fstest.MapFS{}, "") {
		t.Error("false without the files")
	}
}

// advised reports whether the kernel was asked for large pages at an address.
func advised(t *testing.T, at uintptr) bool {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	within := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			within = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	return false
}
