//go:build cgo && linux && (amd64 || arm64)

package openblas

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// The program opens OpenBLAS at run time and is not linked with it, so it builds and runs without
// OpenBLAS. The linker must resolve netlib's calls of cblas_ functions. Each is defined here as one
// indirect jump, through a pointer that blskernel_open fills. (Programs linked with -z now would not
// start with undefined symbols.) The symbols are weak, for programs that link a BLAS statically.

// The float64 routines, without which the backend is not usable.
#define FLOAT64(X) \
	X(dasum) X(daxpy) X(dcopy) X(ddot) X(dgbmv) X(dgemm) X(dgemv) X(dger) X(dnrm2) X(drot) \
	X(drotg) X(drotm) X(drotmg) X(dsbmv) X(dscal) X(dspmv) X(dspr) X(dspr2) X(dswap) X(dsymm) \
	X(dsymv) X(dsyr) X(dsyr2) X(dsyr2k) X(dsyrk) X(dtbmv) X(dtbsv) X(dtpmv) X(dtpsv) X(dtrmm) \
	X(dtrmv) X(dtrsm) X(dtrsv) X(idamax)

// The other routines that netlib calls.
#define OTHERS(X) \
	X(caxpy) X(ccopy) X(cdotc_sub) X(cdotu_sub) X(cgbmv) X(cgemm) X(cgemv) X(cgerc) X(cgeru) \
	X(chbmv) X(chemm) X(chemv) X(cher) X(cher2) X(cher2k) X(cherk) X(chpmv) X(chpr) X(chpr2) \
	X(cscal) X(csscal) X(cswap) X(csymm) X(csyr2k) X(csyrk) X(ctbmv) X(ctbsv) X(ctpmv) X(ctpsv) \
	X(ctrmm) X(ctrmv) X(ctrsm) X(ctrsv) X(dsdot) X(dzasum) X(dznrm2) X(icamax) X(isamax) X(izamax) \
	X(sasum) X(saxpy) X(scasum) X(scnrm2) X(scopy) X(sdot) X(sdsdot) X(sgbmv) X(sgemm) X(sgemv) \
	X(sger) X(snrm2) X(srot) X(srotg) X(srotm) X(srotmg) X(ssbmv) X(sscal) X(sspmv) X(sspr) \
	X(sspr2) X(sswap) X(ssymm) X(ssymv) X(ssyr) X(ssyr2) X(ssyr2k) X(ssyrk) X(stbmv) X(stbsv) \
	X(stpmv) X(stpsv) X(strmm) X(strmv) X(strsm) X(strsv) X(zaxpy) X(zcopy) X(zdotc_sub) \
	X(zdotu_sub) X(zdscal) X(zgbmv) X(zgemm) X(zgemv) X(zgerc) X(zgeru) X(zhbmv) X(zhemm) X(zhemv) \
	X(zher) X(zher2) X(zher2k) X(zherk) X(zhpmv) X(zhpr) X(zhpr2) X(zscal) X(zswap) X(zsymm) \
	X(zsyr2k) X(zsyrk) X(ztbmv) X(ztbsv) X(ztpmv) X(ztpsv) X(ztrmm) X(ztrmv) X(ztrsm) X(ztrsv)

static void blskernel_not_open(void) {
	fputs("blskernel: a cblas routine was called before OpenBLAS was opened: "
		"call blskernel.Lookup(\"openblas\") first\n", stderr);
	abort();
}

#if defined(__x86_64__)
#define JUMP(slot) "\tjmp *" slot "(%rip)\n"
#else
#define JUMP(slot) "\tadrp x16, " slot "\n\tldr x16, [x16, :lo12:" slot "]\n\tbr x16\n"
#endif

#define DEFINE(name) \
	__attribute__((visibility("hidden"), used)) \
	void *blskernel_##name = (void *)blskernel_not_open; \
	__asm__(".text\n.p2align 4\n.weak cblas_" #name "\n.type cblas_" #name ", %function\n" \
		"cblas_" #name ":\n" JUMP("blskernel_" #name) \
		".size cblas_" #name ", .-cblas_" #name "\n");
FLOAT64(DEFINE)
OTHERS(DEFINE)

typedef void (*set_threads_func)(int);
typedef int (*get_threads_func)(void);
typedef char *(*get_text_func)(void);
static set_threads_func set_threads;
static get_threads_func get_threads;
static get_text_func get_config, get_core;

static void blskernel_set_threads(int n) { set_threads(n); }
static int blskernel_get_threads(void) { return get_threads(); }
static const char *blskernel_config(void) { return get_config ? get_config() : ""; }
static const char *blskernel_core(void) { return get_core ? get_core() : ""; }

// resolve fills the pointers from handle and returns the first missing required name, or NULL.
static const char *resolve(void *handle) {
	void *p;
	set_threads = (set_threads_func)dlsym(handle, "openblas_set_num_threads");
	if (!set_threads) return "openblas_set_num_threads";
	get_threads = (get_threads_func)dlsym(handle, "openblas_get_num_threads");
	if (!get_threads) return "openblas_get_num_threads";
	get_config = (get_text_func)dlsym(handle, "openblas_get_config");
	get_core = (get_text_func)dlsym(handle, "openblas_get_corename");
#define CHECK(name) if (!dlsym(handle, "cblas_" #name)) return "cblas_" #name;
	FLOAT64(CHECK)
#define FILL(name) if ((p = dlsym(handle, "cblas_" #name))) blskernel_##name = p;
	FLOAT64(FILL)
	OTHERS(FILL)
	return NULL;
}

// The handle of the open library, or NULL.
__attribute__((visibility("hidden"))) void *blskernel_openblas;

// blskernel_open opens the library and returns NULL, or an error. If *missing is set, the error is the
// name of a missing routine. If core is not NULL, OPENBLAS_CORETYPE has this value while the library
// loads, in the environment of C alone, which programs started by Go do not inherit.
static const char *blskernel_open(const char *name, const char *core, int *missing) {
	const char *lacks;
	void *handle;
	if (core) setenv("OPENBLAS_CORETYPE", core, 1);
	handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (core) unsetenv("OPENBLAS_CORETYPE");
	*missing = 0;
	if (!handle) return dlerror();
	lacks = resolve(handle);
	if (!lacks) {
		blskernel_openblas = handle;
		return NULL;
	}
	dlclose(handle);
	*missing = 1;
	return lacks;
}

// blskernel_adopt points the symbols above to a cblas library that the program is linked with, for the
// program's own calls to netlib.
static void blskernel_adopt(void) {
	void *p;
#define ADOPT(name) if ((p = dlsym(RTLD_NEXT, "cblas_" #name))) blskernel_##name = p;
	if (!dlsym(RTLD_NEXT, "cblas_dgemm")) return;
	FLOAT64(ADOPT)
	OTHERS(ADOPT)
}

// blskernel_close closes the library after resetting all pointers to it.
static void blskernel_close(void) {
#define RESET(name) blskernel_##name = (void *)blskernel_not_open;
	FLOAT64(RESET)
	OTHERS(RESET)
	set_threads = NULL;
	get_threads = NULL;
	get_config = get_core = NULL;
	dlclose(blskernel_openblas);
	blskernel_openblas = NULL;
	blskernel_adopt();
}

static int blskernel_core_chosen(void) { return getenv("OPENBLAS_CORETYPE") != NULL; }
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// libraries lists the names that Open tries, in this order, if it is given no name.
var libraries = []string{"libopenblas.so.0", "libopenblas.so"}

func init() {
	C.blskernel_adopt()
	open, setThreads = openFirst, setThreadsBelow
}

// Handle returns the dlopen handle of the open library, or nil if there is none.
func Handle() unsafe.Pointer { return C.blskernel_openblas }

// About returns the CPU type of the kernels in use, the library's name, and the library's description.
func (o openBLAS) About() (kernel, library, version string) {
	return openedCore(), o.file, config()
}

// config returns OpenBLAS's description of itself, or "" if it has none.
func config() string { return strings.TrimSpace(C.GoString(C.blskernel_config())) }

// openFirst opens the named library. If name is empty, it opens the first usable one of libraries.
func openFirst(name string) (Backend, error) {
	names := libraries
	remedy := "install OpenBLAS (Debian and Ubuntu: libopenblas0; Fedora: openblas), set " + EnvLibrary + " to the library file, or use \"pure\""
	if name != "" {
		names = []string{name}
		remedy = "correct or unset " + EnvLibrary + ", which names this file"
	}
	var why []string
	for _, n := range names {
		reason := openBest(n)
		if reason == "" && strings.Contains(config(), "USE64BITINT") {
			closeOpened()
			reason = n + " was built with 64-bit integers, but blskernel passes 32-bit ones"
		}
		if reason == "" {
			maxThreads = int(C.blskernel_get_threads())
			return withLAPACK(n), nil
		}
		why = append(why, reason)
	}
	return nil, &Error{strings.Join(why, "; "), remedy}
}

// maxThreads is the number of threads that OpenBLAS chose when it was opened: see SetThreads.
var maxThreads int

func setThreadsBelow(n int) { C.blskernel_set_threads(C.int(min(n, maxThreads))) }

// openAs opens the library and returns "", or the reason why it cannot be used. OpenBLAS uses the
// kernels of the CPU type core, or chooses them itself if core is empty.
func openAs(name, core string) string {
	file := C.CString(name)
	defer C.free(unsafe.Pointer(file))
	var missing C.int
	var cpu *C.char
	if core != "" {
		cpu = C.CString(core)
		defer C.free(unsafe.Pointer(cpu))
	}
	switch msg := C.blskernel_open(file, cpu, &missing); {
	case msg == nil:
		return ""
	case missing != 0:
		return fmt.Sprintf("%s is not a usable OpenBLAS: it has no %s", name, C.GoString(msg))
	default:
		return C.GoString(msg)
	}
}

// openedCore returns OpenBLAS's name for the CPU type whose kernels it uses, or "" if that is unknown.
func openedCore() string { return C.GoString(C.blskernel_core()) }

// closeOpened closes the library. Open it again before any computation.
func closeOpened() { C.blskernel_close() }

// coreChosen reports whether the environment selects the kernels.
func coreChosen() bool { return C.blskernel_core_chosen() != 0 }
