//go:build cgo && linux && (amd64 || arm64)

package openblas

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestWithoutLAPACK opens, each in its own process, stub libraries without LAPACK, with part of it, and
// with 64-bit integers. Open refuses the last.
func TestWithoutLAPACK(t *testing.T) {
	if want := os.Getenv("BLSKERNEL_TEST_MISSING"); want != "" {
		b, err := Open(os.Getenv(EnvLibrary))
		if err != nil && strings.Contains(err.Error(), want) {
			return
		}
		testutil.NoError(t, err)
		if _, ok := b.(openBLASLAPACK); ok {
			t.Error("a library that lacks a routine counts as a LAPACK")
		}
		return
	}
	const all = "dpotri dgetrf dgetri"
	for _, test := range []struct{ name, config, routines, want string }{
		{"none", "OpenBLAS 0", "", "no error"},
		{"some", "OpenBLAS 0", strings.TrimSuffix(all, " dgetri"), "no error"},
		{"64-bit", "OpenBLAS 0 USE64BITINT", all, "libopenblas.so was built with 64-bit integers, but blskernel passes 32-bit ones"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := fmt.Sprintf("char *openblas_get_config(void) { return %q; }\n", test.config)
			for _, r := range strings.Fields(test.routines) {
				text += "void " + r + "_(void) {}\n"
			}
			library := stubOpenBLAS(t, text)
			out, err := again("TestWithoutLAPACK", EnvLibrary+"="+library, "BLSKERNEL_TEST_MISSING="+test.want)
			if err != nil || !strings.Contains(out, "PASS") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// stubOpenBLAS builds a library from the C code and from stubs of OpenBLAS's routines.
// It skips the test if there is no C compiler.
func stubOpenBLAS(t *testing.T, code string) (library string) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	source, err := os.ReadFile("open.go")
	testutil.NoError(t, err)
	_, list, _ := strings.Cut(string(source), "#define FLOAT64(X)")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, name := range regexp.MustCompile(`X\((\w+)\)`).FindAllStringSubmatch(list, -1) {
		code += fmt.Sprintf("\nvoid cblas_%s(void) {}", name[1])
	}
	code += "\nvoid openblas_set_num_threads(int n) {}\nint openblas_get_num_threads(void) { return 1; }\n"
	library = filepath.Join(t.TempDir(), "libopenblas.so")
	cmd := exec.Command(compiler, "-shared", "-fPIC", "-x", "c", "-o", library, "-")
	cmd.Stdin = strings.NewReader(code)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}
