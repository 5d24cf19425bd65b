package blskernel

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// EnvBackend names the environment variable that chooses the backend: "pure", "openblas", or "pure/KERNEL".
// An unusable value is an error of Lookup and a panic of Default, never a silent fallback.
const EnvBackend = "BLSKERNEL_BACKEND"

// A Backend is an implementation of the float64 BLAS: gonum's interface (row-major storage,
// gonum's panics on bad arguments) plus a name. It plugs into gonum as it is:
//
//	blas64.Use(blskernel.Default())
//
// Bad arguments panic before anything is written, on every backend with the same texts in the same order.
// A size that a library of 32-bit integers cannot hold panics on the backend openblas.
//
// A Backend is a value that is passed down, not a global that is switched, so two of them can be
// compared in one process. Its methods may be called from several goroutines at once.
type Backend interface {
	// Name returns the name by which Lookup knows it, "pure" or "openblas".
	Name() string
	blas.Float64
}

// UnavailableError is returned by Lookup for a backend that this process cannot use.
type UnavailableError struct {
	Backend string // the name that was asked for
	Why     string // what is missing
	Remedy  string // what to do about it
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("blskernel: backend %q is not available: %s; %s", e.Backend, e.Why, e.Remedy)
}

// A provider makes one backend, at most once; it is called with the lock of once.
type provider struct {
	open    func() (Backend, error)
	variant bool // of another backend: not among Names
	once    sync.Once
	b       Backend
	err     error
}

func (p *provider) get() (Backend, error) {
	p.once.Do(func() { p.b, p.err = p.open() })
	return p.b, p.err
}

// providers holds what registered itself from init. backend_cgo.go may be left out of a build by
// the go tool even where the tag cgo is set, so its presence is a fact of the map and not of a
// build constraint elsewhere.
var providers = map[string]*provider{}

func register(name string, open func() (Backend, error)) {
	providers[name] = &provider{open: open}
}

// registerVariant is register for a backend that Lookup knows and Names does not list.
func registerVariant(name string, open func() (Backend, error)) {
	providers[name] = &provider{open: open, variant: true}
}

// known lists every backend name of this version, built in or not.
var known = []string{"openblas", "pure"}

// Lookup returns the backend of the given name: "pure", "openblas", or "" for the selected one (see
// Default). "pure/KERNEL", as in "pure/avx2", is the pure backend on a kernel of that name, whatever the
// environment says: generic, and on amd64 avx2 and avx512 where the CPU has them. The error is a
// *UnavailableError where the name is known and the backend cannot be used here; it says what is missing
// and what to install or set.
func Lookup(name string) (Backend, error) {
	if name == "" {
		s := selected()
		return s.backend, s.err
	}
	return lookup(name)
}

func lookup(name string) (Backend, error) {
	if p, ok := providers[name]; ok {
		return p.get()
	}
	for _, k := range known {
		if name == k {
			return nil, &UnavailableError{
				Backend: name,
				Why:     absent(runtime.GOOS, runtime.GOARCH),
				Remedy:  "build for linux/amd64 or linux/arm64 with CGO_ENABLED=1 and a C compiler, or use \"pure\"",
			}
		}
	}
	if k, ok := strings.CutPrefix(name, "pure/"); ok {
		_, err := kernel.Lookup(k)
		return nil, &UnavailableError{Backend: name, Why: err.Error(), Remedy: "use one of these kernels, or \"pure\" for the best of them"}
	}
	return nil, fmt.Errorf("blskernel: unknown backend %q; known are %s", name, strings.Join(known, ", "))
}

// absent says why a build for an operating system and architecture has no openblas.
func absent(system, architecture string) string {
	if system == "linux" && (architecture == "amd64" || architecture == "arm64") {
		return "this program was built without cgo"
	}
	return "there is no such backend for " + system + "/" + architecture
}

// Default returns the selected backend, decided once in a process: the one that the environment
// variable BLSKERNEL_BACKEND names; else openblas where the build has it and the library opens;
// else pure. It panics with Lookup's error where the environment asks for what cannot be had.
func Default() Backend {
	b, err := Lookup("")
	if err != nil {
		panic(err)
	}
	return b
}

// Names returns the names of the backends that are usable in this process, sorted.
func Names() []string {
	var names []string
	for name, p := range providers {
		if p.variant {
			continue
		}
		if _, err := p.get(); err == nil {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

type selection struct {
	backend Backend
	why     string
	err     error
}

var selected = sync.OnceValue(func() selection { return choose(os.Getenv(EnvBackend), lookup) })

// choose decides for a value of the environment variable and a way to look a name up.
func choose(env string, lookup func(string) (Backend, error)) selection {
	if env != "" {
		b, err := lookup(env)
		if err != nil {
			err = fmt.Errorf("%s=%s: %w", EnvBackend, env, err)
			return selection{err: err, why: err.Error()}
		}
		return selection{backend: b, why: EnvBackend + "=" + env}
	}
	b, err := lookup("openblas")
	if err == nil {
		return selection{backend: b, why: "OpenBLAS was found"}
	}
	why := err.Error()
	var u *UnavailableError
	if errors.As(err, &u) {
		why = "openblas: " + u.Why
	}
	b, err = lookup("pure")
	return selection{backend: b, why: why, err: err}
}

var threads atomic.Int64

// threadSetters are told of every change of the bound; guarded by threadMu.
var (
	threadMu      sync.Mutex
	threadSetters []func()
)

// SetThreads sets the upper bound on the threads that one call of a backend uses, for both
// backends; 0, the initial value, stands for GOMAXPROCS. It panics if n is negative. A limit that
// OpenBLAS read from its own environment (OPENBLAS_NUM_THREADS) stays in force below this one.
//
// The pure backend reads the bound, and GOMAXPROCS, at each call; a call under way goes on as it began,
// and results do not depend on either. For n > 1 it keeps n-1 goroutines that stand by until the next
// SetThreads, so that also calls of some ten microseconds are shared: they look out for a call for 0.2 ms
// after the last one and then sleep. For 0 a call starts the goroutines it uses, which pays from 0.1 ms
// on, and they end with it. OpenBLAS is told when it is opened and when SetThreads is called, so a later
// change of GOMAXPROCS reaches it with the next SetThreads(0).
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

// Threads returns the bound in force: the last value given to SetThreads, or GOMAXPROCS for 0.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// onThreads calls set, and again whenever SetThreads has changed the bound.
func onThreads(set func()) {
	threadMu.Lock()
	defer threadMu.Unlock()
	threadSetters = append(threadSetters, set)
	set()
}
