package blskernel

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of the module from the bottom up: each may import those above it in the
// list, and every package must be in it.
var layers = []string{
	"blskernel/internal/testutil",
	"blskernel/internal/testutil/hashes",
	"blskernel/internal/testutil/guard",
	"blskernel/internal/isfinite",
	"blskernel/internal/elementary",
	"blskernel/internal/testutil/fuzz",
	"blskernel/internal/testutil/testmat",
	"blskernel/internal/testutil/bigfloat",
	"blskernel/internal/flagvalue",
	"blskernel/internal/names",
	"blskernel/internal/memory",
	"blskernel/internal/vfs",
	"blskernel/internal/testutil/faultfs",
	"blskernel/internal/testutil/faults",
	"blskernel/internal/interrupt",
	"blskernel/internal/testutil/numpytest",
	"blskernel/internal/atomicfile",
	"blskernel/internal/codec",
	"blskernel/internal/npy",
	"blskernel/internal/block",
	"blskernel/internal/check",
	"blskernel/internal/cpu",
	"blskernel/internal/kernel",
	"blskernel/internal/testutil/kernels",
	"blskernel/internal/blas12",
	"blskernel/internal/gemm",
	"blskernel/internal/blas",
	"blskernel/internal/openblas",
	"blskernel",
	"blskernel/internal/backend",
	"blskernel/internal/testutil/backends",
	"blskernel/mat",
	"blskernel/internal/coder",
	"blskernel/internal/lapack",
	"blskernel/internal/lapack/secular",
	"blskernel/internal/lapack/svd",
	"blskernel/internal/lapack/eigensym",
	"blskernel/internal/lapack/schur",
	"blskernel/lapack",
	"blskernel/internal/golden",
	"blskernel/blsupdate/internal/api",
	"blskernel/blsupdate/internal/dense",
	"blskernel/blsupdate/internal/cost",
	"blskernel/blsupdate/internal/state",
	"blskernel/blsupdate/internal/pinv",
	"blskernel/blsupdate/internal/ridge",
	"blskernel/blsupdate/internal/cholesky",
	"blskernel/blsupdate/internal/gram",
	"blskernel/blsupdate/internal/qr",
	"blskernel/blsupdate/internal/rates",
	"blskernel/blsupdate",
	"blskernel/dataset",
	"blskernel/dataset/stream",
	"blskernel/internal/columns",
	"blskernel/bls/metrics",
	"blskernel/bls",
	"blskernel/bls/modelfile",
	"blskernel/bench",
	"blskernel/bench/speed",
	"blskernel/bench/benchmarks",
	"blskernel/bench/result",
	"blskernel/bench/gate",
	"blskernel/bench/report",
	"blskernel/cmd/blskernel/internal/ui",
	"blskernel/cmd/blskernel/internal/learn",
	"blskernel/cmd/blskernel/internal/experiment",
	"blskernel/cmd/blskernel",
	"blskernel/internal/soak",
	"blskernel/examples/server",
	"blskernel/internal/docs",
}

// below lists the packages that only the root and packages below it may import.
var below = []string{"blskernel/internal/kernel", "blskernel/internal/gemm"}

// TestLayers checks that no import goes up, that nothing above the root imports a kernel, and that only
// internal/openblas imports netlib.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "blskernel/...").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("the go command is not in the path")
	}
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		level := slices.Index(layers, p.ImportPath)
		if level < 0 {
			t.Errorf("%s is in no layer", p.ImportPath)
			continue
		}
		seen++
		for _, path := range p.Imports {
			if strings.HasPrefix(path, "gonum.org/v1/netlib") && p.ImportPath != "blskernel/internal/openblas" {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
			if slices.Contains(below, path) && level > slices.Index(layers, "blskernel") {
				t.Errorf("%s imports %s, which only packages below the root may import", p.ImportPath, path)
			}
			if strings.HasPrefix(path, "blskernel") && slices.Index(layers, path) >= level {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, path)
			}
		}
	}
	if seen != len(layers) {
		t.Errorf("%d packages, %d layers", seen, len(layers))
	}
}
