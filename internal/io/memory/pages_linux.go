package memory

import (
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// declined reports whether Zeros uses ordinary pages only.
var declined = sync.OnceValue(func() bool { return unwanted(os.DirFS("/"), os.Getenv("GODEBUG")) })

// unwanted reports whether huge pages do not pay off: the kernel does not leave them to madvise, they
// are not 2 MiB, GODEBUG turns them off, or free page reporting is on. On arm64 a huge page is 32 MiB
// with base pages of 16 KiB and 512 MiB with 64 KiB, and one write allocates all of it. With free page
// reporting, a virtual machine returns free memory to its host in blocks of 2 MiB or more. The first
// write to a huge page then waits until the host finds memory: 5 ms instead of 0.1 ms, as measured.
// Pages of 4 KiB come from smaller blocks and do not wait. The kernel parameter page_reporting_order is
// the order of the blocks; it is from 1 to 10 only with reporting.
func unwanted(root fs.FS, godebug string) bool {
	modes, _ := fs.ReadFile(root, "sys/kernel/mm/transparent_hugepage/enabled")
	size, known := number(root, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
	order, _ := number(root, "sys/module/page_reporting/parameters/page_reporting_order")
	return !strings.Contains(string(modes), "[madvise]") || known && size != hugePage || strings.Contains(godebug, "disablethp=1") ||
		1 <= order && order <= 10
}

// advise asks the kernel for huge pages in x, and withdraws the request after x is freed. Otherwise the
// kernel would later use huge pages for memory of which Go uses only a few bytes. If another array has
// that memory by then, the array gets ordinary pages. The withdrawal is a plain system call, since a
// slice of a freed array would have an invalid pointer.
func advise(x []float64) {
	at, size := uintptr(unsafe.Pointer(&x[0])), uintptr(8*len(x))
	if unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), size), unix.MADV_HUGEPAGE) == nil {
		runtime.AddCleanup(&x[0], func(at uintptr) { _, _, _ = unix.Syscall(unix.SYS_MADVISE, at, size, unix.MADV_NOHUGEPAGE) }, at)
	}
}
