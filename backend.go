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

	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"

	"gonum.org/v1/gonum/blas"
)

// EnvBackend names the environment variable that selects the backend: "pure", "openblas", or
// "pure/KERNEL". If its value is unusable, Lookup("") fails and Default panics, without a fallback.
const EnvBackend = "BLSKERNEL_BACKEND"

// envLibrary names the environment variable that selects the OpenBLAS library. It repeats
// openblas.EnvLibrary, since a build without OpenBLAS lacks that package.
const envLibrary = "BLSKERNEL_OPENBLAS"

func noLibrary(name string) bool { return strings.EqualFold(name, "none") }

// A Backend implements the float64 BLAS through gonum's row-major interface, and has a name. All of
// gonum runs on it after
//
//	blas64.Use(blskernel.Default())
//
// A method panics on bad arguments before it writes anything, with the same messages and the same order
// of checks on every backend. A backend also panics on a size that its integers cannot hold: pure above
// MaxInt/4, openblas beyond 32 bits.
//
// A program can use several backends at the same time. The methods may be called from several
// goroutines at once.
type Backend interface {
	// Name returns the name that Lookup takes, such as "pure" or "openblas".
	Name() string
	blas.Float64
}

// UnavailableError reports a backend that this process cannot use. Lookup returns it or wraps it.
type UnavailableError struct {
	Backend string // the requested name
	Why     string // the reason, such as a missing library
	Remedy  string // what to do about it
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("blskernel: backend %q is not available: %s; %s", e.Backend, e.Why, e.Remedy)
}

// providers maps the name of each backend in this build to a function that opens it once and then
// always returns the same result. Init functions fill the map. A build with the tag cgo may still lack
// openblas, so this map, not a build constraint, decides whether openblas is present.
var providers = map[string]func() (Backend, error){}

func register(name string, open func() (Backend, error)) { providers[name] = sync.OnceValues(open) }

// known lists all backends of this version in sorted order, including any that this build lacks.
var known = []string{"openblas", "pure"}

// Lookup returns the backend with the given name: "pure", "openblas", or "" for the selected one (see
// Default). "pure/KERNEL", such as "pure/avx2", is the pure backend on that kernel, regardless of the
// environment. The kernels are generic, neon on arm64, and avx2 and avx512 on amd64 if the CPU has
// them. Case does not matter. If the backend is known but cannot be used here, the error is or wraps
// an *UnavailableError, which says what is missing and what to do.
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
			Remedy:  "use \"pure\", or build for linux/amd64 or linux/arm64 with CGO_ENABLED=1 and a C compiler, and without the tag noopenblas",
		}
	}
	if k, ok := strings.CutPrefix(name, "pure/"); ok {
		_, err := kernel.Lookup(k)
		return nil, &UnavailableError{Backend: name, Why: err.Error(), Remedy: "use one of the usable kernels, or \"pure\" for the best of them"}
	}
	return nil, fmt.Errorf("blskernel: unknown backend %q; the backends are %s and pure/KERNEL", given, strings.Join(known, ", "))
}

// absent explains why this build, for the given operating system and architecture, has no openblas.
func absent(system, architecture string) string {
	if system == "linux" && (architecture == "amd64" || architecture == "arm64") {
		return "this program was built without cgo, or with the tag noopenblas"
	}
	return "it does not support " + system + "/" + architecture
}

// Default returns the selected backend, chosen once per process: the one that BLSKERNEL_BACKEND names;
// otherwise openblas, if the program was built with the explicit tag cgo (go build -tags cgo) and the
// library opens; otherwise pure, whose results are the same on every machine. It panics with Lookup's
// error if BLSKERNEL_BACKEND or BLSKERNEL_KERNEL names a backend or kernel that cannot be used. With
// the tag cgo it also panics if BLSKERNEL_OPENBLAS names a library that does not open.
func Default() Backend {
	b, err := Lookup("")
	if err != nil {
		panic(err)
	}
	return b
}

// Names returns the sorted names of the usable backends, such as "pure", without any "pure/KERNEL".
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

// taggedCgo reports whether the program was built with -tags cgo. A build constraint cannot tell, since
// the constraint cgo also holds without the tag, by default wherever Go finds a C compiler.
func taggedCgo(info *debug.BuildInfo) bool {
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-tags" && slices.Contains(strings.Split(s.Value, ","), "cgo")
	})
}

// choose selects the default backend and opens it with lookup. env and library are the values of
// EnvBackend and envLibrary; tagged says whether the program was built with -tags cgo.
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
			why = "built with -tags cgo, but openblas is not available: " + u.Why
		}
	}
	b, err := lookup("pure")
	return selection{backend: b, why: why, err: err}
}

// libraryThreads sets the bound of OpenBLAS, or is nil until the library is open. threadMu guards it.
var (
	threadMu       sync.Mutex
	libraryThreads func(n int)
)

// SetThreads limits each call to n threads, on all backends; 0, the initial bound, stands for
// GOMAXPROCS. It panics if n is negative. A lower limit that OpenBLAS read from OPENBLAS_NUM_THREADS
// stays in force.
//
// The pure backend reads the bound and GOMAXPROCS at each call; results do not depend on the bound. The
// first call that is estimated to take 60 microseconds or more starts a pool of workers, goroutines on
// their own threads: one fewer than the minimum of the bound, GOMAXPROCS and the number of CPUs. Such
// calls share their work with the workers, and so do calls of 40 microseconds or more in quick
// succession. After a call the workers poll for 1 ms and then sleep, so an idle process spends no time
// on them. If other work occupies their CPUs, calls run without workers for a while. On Linux, workers
// avoid the CPU of the caller. If SetThreads changes the number of workers, it waits for their current
// tasks, and a call in progress finishes on one thread. SetThreads(1) ends the pool. In a
// testing/synctest bubble, which waits for all goroutines started in it, call SetThreads(1) first.
//
// OpenBLAS receives the bound when it is opened and at each SetThreads. A later change of GOMAXPROCS
// therefore takes effect only at the next SetThreads(0).
func SetThreads(n int) {
	threadMu.Lock()
	defer threadMu.Unlock()
	workers.Default.SetThreads(n)
	if libraryThreads != nil {
		libraryThreads(Threads())
	}
}

// Threads returns the current bound: the last value given to SetThreads, or GOMAXPROCS if it was 0 or
// SetThreads was not called. Fewer threads may be in use.
func Threads() int { return workers.Default.Threads() }
