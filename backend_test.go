package blskernel

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"github.com/klauspost/cpuid/v2"
	"gonum.org/v1/gonum/blas"
)

// envChild makes the test binary print its selection and exit, so that the choice, which is made once
// per process, can be tested in other environments.
const envChild = "BLSKERNEL_TEST_CHILD"

// envWithout lists the instruction sets that the child pretends its CPU lacks.
const envWithout = "BLSKERNEL_TEST_WITHOUT"

func TestMain(m *testing.M) {
	if os.Getenv(envChild) != "" {
		defer func() {
			if p := recover(); p != nil {
				fmt.Println("panic:", p)
			}
		}()
		for _, set := range strings.Fields(os.Getenv(envWithout)) {
			cpuid.CPU.Disable(cpuid.ParseFeature(set))
		}
		if b, err := Lookup("pure"); err != nil {
			fmt.Printf("no pure: %T: %v\n", err, err)
		} else {
			fmt.Printf("kernel: %s.\n", Describe(b).Kernel)
		}
		fmt.Println("backend:", Default().Name())
		fmt.Println("reason:", Describe(nil).Reason)
		return
	}
	os.Exit(m.Run())
}

// child runs this test binary with env and returns what it prints.
func child(t *testing.T, env ...string) string {
	t.Helper()
	out, err := testutil.Self(append(env, envChild+"=1")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
	return string(out)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	missing := &UnavailableError{Backend: "openblas", Why: "no such file", Remedy: "install it"}
	withOpenBLAS := func(name string) (Backend, error) { return named{name: name}, nil }
	without := func(name string) (Backend, error) {
		if name == "openblas" {
			return nil, missing
		}
		return named{name: name}, nil
	}
	for _, test := range []struct {
		env     string
		library string
		tagged  bool
		lookup  func(string) (Backend, error)
		want    string // name of the backend, empty for an error
		why     string // part of the reason
	}{
		{"", "", false, withOpenBLAS, "pure", "the same results on every machine"},
		{"", "/x.so", false, without, "pure", "the same results on every machine"},
		{"", "", true, withOpenBLAS, "openblas", "built with -tags cgo, and OpenBLAS was found"},
		{"", "/x.so", true, withOpenBLAS, "openblas", "built with -tags cgo, and OpenBLAS was found"},
		{"", "", true, without, "pure", "built with -tags cgo, but openblas is not available: no such file"},
		{"", "none", true, without, "pure", "built with -tags cgo, but openblas is not available: no such file"},
		{"", "None", true, without, "pure", "built with -tags cgo, but openblas is not available: no such file"},
		{"", "/x.so", true, without, "", "BLSKERNEL_OPENBLAS=/x.so: "},
		{"pure", "/x.so", true, withOpenBLAS, "pure", "BLSKERNEL_BACKEND=pure"},
		{"openblas", "", false, withOpenBLAS, "openblas", "BLSKERNEL_BACKEND=openblas"},
		{"openblas", "none", true, without, "", "no such file"},
	} {
		s := choose(test.env, test.library, test.tagged, test.lookup)
		if test.want == "" {
			if !errors.Is(s.err, missing) || s.backend != nil {
				t.Errorf("%q: backend %v, error %v; want none and the cause", test.env, s.backend, s.err)
			}
		} else if s.err != nil || s.backend.Name() != test.want {
			t.Errorf("%q: backend %v, error %v; want %s", test.env, s.backend, s.err, test.want)
		}
		if !strings.Contains(s.why, test.why) {
			t.Errorf("%q: reason %q does not say %q", test.env, s.why, test.why)
		}
	}
}

// The tag counts alone and among others, in GOFLAGS or on the command line, but not as part of a name.
func TestTaggedCgo(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]bool{"cgo": true, "noasm,cgo": true, "cgo,noasm": true, "": false, "noasm": false, "mycgo": false, "nocgo,cgox": false} {
		settings := []debug.BuildSetting{{Key: "CGO_ENABLED", Value: "1"}, {Key: "-tags", Value: tags}}
		if got := taggedCgo(&debug.BuildInfo{Settings: settings}); got != want {
			t.Errorf("-tags=%s: %v", tags, got)
		}
	}
	if taggedCgo(nil) || taggedCgo(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "CGO_ENABLED", Value: "1"}}}) {
		t.Error("a program without the tag has it")
	}
}

type named struct {
	blas.Float64
	name string
}

func (n named) Name() string { return n.name }

func TestLookup(t *testing.T) {
	names := Names()
	if !slices.Contains(names, "pure") {
		t.Fatalf("Names() = %v lacks pure", names)
	}
	for _, name := range names {
		b, err := Lookup(name)
		if err != nil || b.Name() != name {
			t.Errorf("Lookup(%q) = %v, %v", name, b, err)
		}
		if same, err := Lookup(strings.ToUpper(name)); err != nil || same != b {
			t.Errorf("Lookup(%q) = %v, %v", strings.ToUpper(name), same, err)
		}
	}
	if !slices.Contains(names, "openblas") {
		_, err := Lookup("openblas")
		if testutil.Required("openblas") {
			t.Errorf("%s requires openblas: %v", testutil.EnvRequire, err)
		}
		var u *UnavailableError
		if !errors.As(err, &u) || u.Why == "" || u.Remedy == "" || strings.HasSuffix(u.Why, "without cgo") {
			t.Errorf("Lookup(openblas) = %v, want a *UnavailableError that says why and what to do", err)
		}
	}
	if _, err := Lookup("mkl"); err == nil || !strings.Contains(err.Error(), "the backends are openblas, pure and pure/KERNEL") {
		t.Errorf("Lookup(mkl) = %v, want the known names", err)
	}
	if b, err := Lookup(""); err != nil || b != Default() {
		t.Errorf(`Lookup("") = %v, %v, want Default()`, b, err)
	}
}

func TestSetThreads(t *testing.T) {
	library := libraryThreads
	defer func() {
		libraryThreads = library
		SetThreads(0)
	}()
	var told []int
	libraryThreads = func(n int) { told = append(told, n) }
	SetThreads(1)
	if Threads() != 1 {
		t.Errorf("Threads() = %d after SetThreads(1)", Threads())
	}
	SetThreads(0)
	if want := runtime.GOMAXPROCS(0); Threads() != want {
		t.Errorf("Threads() = %d after SetThreads(0), want GOMAXPROCS = %d", Threads(), want)
	}
	if want := []int{1, runtime.GOMAXPROCS(0)}; !slices.Equal(told, want) {
		t.Errorf("the library was told %v, want %v", told, want)
	}
	testutil.MustPanic(t, "blskernel: negative number of threads", func() { SetThreads(-1) })
}
