package blskernel

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// EnvBackend names the environment variable that selects the backend: "pure", "openblas", or
// "pure/KERNEL". A value that cannot be used is an error of Lookup and a panic of Default, never a
// silent fallback.
const EnvBackend = "BLSKERNEL_BACKEND"

// envLibrary is openblas.EnvLibrary, which a build without OpenBLAS lacks.
const envLibrary = "BLSKERNEL_OPENBLAS"

// noLibrary reports whether a value of envLibrary means that no library is opened.
func noLibrary(name string) bool { return strings.EqualFold(name, "none") }

// A Backend implements the float64 BLAS: gonum's interface, row-major, with a name. All of gonum runs
// on it after
//
//	blas64.Use(blskernel.Default())
//
// Bad arguments panic before anything is written, on every backend with the same texts in the same
// order. A backend also panics on a size that its integers cannot hold: pure above MaxInt/4, openblas
// beyond 32 bits.
//
// A program passes a Backend down as a value, so it can compare two of them. Its methods may be called
// from several goroutines at once.
type Backend interface {
	// Name returns its name for Lookup, such as "pure" or "openblas".
	Name() string
	blas.Float64
}

// UnavailableError is returned by Lookup for a backend that this process cannot use.
type UnavailableError struct {
	Backend string // the requested name
	Why     string // what is missing
	Remedy  string // what to do about it
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("blskernel: backend %q is not available: %s; %s", e.Backend, e.Why, e.Remedy)
}

// providers open the backends of this build, each at most once, registered by init. A build with the
// tag cgo may still lack openblas, so its presence is decided here and not by a build constraint.
var providers = map[string]func() (Backend, error){}

func register(name string, open func() (Backend, error)) { providers[name] = sync.OnceValues(open) }

// known lists the backends of this version, sorted, in this build or not.
var known = []string{"openblas", "pure"}

// Lookup returns the backend of the given name: "pure", "openblas", or "" for the selected one (see
// Default). "pure/KERNEL", as in "pure/avx2", is the pure backend on that kernel, whatever the
// environment says: generic, on arm64 neon, and on amd64 avx2 and avx512 if the CPU has them. A name
// may have any case. The error is an *UnavailableError if the name is known but cannot be used here; it
// says what is missing and what to do.
func Lookup(name string) (Backend, error) {
	if name == "" {
		s := selected()
		return s.backend, s.err
	}
	return lookup(name)
}

func lookup(given string) (Backend, error) {
	name := strings.ToLower(given)
	if open, ok := providers[name]; ok {
		return open()
	}
	if slices.Contains(known, name) {
		return nil, &UnavailableError{
			Backend: name,
			Why:     absent(runtime.GOOS, runtime.GOARCH),
			Remedy:  "build for linux/amd64 or linux/arm64 with CGO_ENABLED=1 and a C compiler, or use \"pure\"",
		}
	}
	if k, ok := strings.CutPrefix(name, "pure/"); ok {
		_, err := kernel.Lookup(k)
		return nil, &UnavailableError{Backend: name, Why: err.Error(), Remedy: "use one of these kernels, or \"pure\" for the best of them"}
	}
	return nil, fmt.Errorf("blskernel: unknown backend %q; known are %s", given, strings.Join(known, ", "))
}

// absent says why a build has no openblas.
func absent(system, architecture string) string {
	if system == "linux" && (architecture == "amd64" || architecture == "arm64") {
		return "this program was built without cgo"
	}
	return "there is no such backend for " + system + "/" + architecture
}

// Default returns the selected backend, decided once in a process: the one that BLSKERNEL_BACKEND
// names; else openblas if the program was built with the explicit tag cgo, as by go build -tags cgo,
// and the library opens; else pure, whose results are the same on every machine. It panics with
// Lookup's error if the environment names a backend that cannot be used, or, where the tag asks for
// openblas, a library that does not open.
func Default() Backend {
	b, err := Lookup("")
	if err != nil {
		panic(err)
	}
	return b
}

// Names returns the sorted names of the backends that this process can use.
func Names() []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		_, err := lookup(name)
		return err != nil
	})
}

type selection struct {
	backend Backend
	why     string
	err     error
}

var selected = sync.OnceValue(func() selection {
	info, _ := debug.ReadBuildInfo()
	return choose(os.Getenv(EnvBackend), os.Getenv(envLibrary), taggedCgo(info), lookup)
})

// taggedCgo reports whether a program was built with the explicit tag cgo. A build constraint cannot
// tell: Go sets the constraint cgo wherever it finds a C compiler.
func taggedCgo(info *debug.BuildInfo) bool {
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-tags" && slices.Contains(strings.Split(s.Value, ","), "cgo")
	})
}

// choose selects a backend for the values of EnvBackend and envLibrary and a program with the explicit
// tag cgo or without.
func choose(env, library string, tagged bool, lookup func(string) (Backend, error)) selection {
	if env != "" {
		b, err := lookup(env)
		if err != nil {
			err = fmt.Errorf("%s=%s: %w", EnvBackend, env, err)
			return selection{err: err, why: err.Error()}
		}
		return selection{backend: b, why: EnvBackend + "=" + env}
	}
	why := "the same results on every machine"
	if tagged {
		b, err := lookup("openblas")
		if err == nil {
			return selection{backend: b, why: "built with -tags cgo, and OpenBLAS was found"}
		}
		if library != "" && !noLibrary(library) {
			err = fmt.Errorf("%s=%s: %w", envLibrary, library, err)
			return selection{err: err, why: err.Error()}
		}
		why = "built with -tags cgo, but " + err.Error()
		var u *UnavailableError
		if errors.As(err, &u) {
			why = "built with -tags cgo, but openblas: " + u.Why
		}
	}
	b, err := lookup("pure")
	return selection{backend: b, why: why, err: err}
}

var threads atomic.Int64

// threadSetters are called after every change of the bound; guarded by threadMu.
var (
	threadMu      sync.Mutex
	threadSetters []func()
)

// SetThreads sets the upper bound on the threads of one call, for all backends; 0, the initial value,
// stands for GOMAXPROCS. It panics if n is negative. A lower limit that OpenBLAS read from
// OPENBLAS_NUM_THREADS stays in force.
//
// The pure backend reads the bound and GOMAXPROCS at each call. Calls under way do not change, and
// results do not depend on the bound. The first call of some 0.1 ms starts a pool of min(n,
// GOMAXPROCS)-1 workers: goroutines on threads of their own, which share calls down to some 20
// microseconds, poll for 0.2 ms after a call and then sleep, and so take no time of an idle process.
// If other work takes their CPUs, calls do not use them for a while. On Linux workers keep off the
// CPU of the caller. SetThreads(1) ends the pool; a test in a bubble of testing/synctest needs that
// before, since a bubble waits for goroutines that begin in it.
//
// OpenBLAS gets the bound when it is opened and from SetThreads, so that a later change of GOMAXPROCS
// needs another SetThreads(0).
func SetThreads(n int) {
	if n < 0 {
		panic("blskernel: negative number of threads")
	}
	threadMu.Lock()
	defer threadMu.Unlock()
	threads.Store(int64(n))
	for _, set := range threadSetters {
		set()
	}
}

// Threads returns the bound in force, which may exceed the threads in use: the last value given to
// SetThreads, or GOMAXPROCS for 0.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// onThreads calls set now and after every change of the bound.
func onThreads(set func()) {
	threadMu.Lock()
	defer threadMu.Unlock()
	threadSetters = append(threadSetters, set)
	set()
}
