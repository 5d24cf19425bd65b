package blskernel

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers lists the packages of the module from the bottom up, in groups: each may import only packages
// before it in the list, and every package must be in it.
var layers = strings.Fields(`
	internal/testutil internal/testutil/hashes internal/testutil/guard internal/testutil/fuzz
	internal/testutil/testmat internal/testutil/bigfloat internal/testutil/numpytest

	internal/io/names internal/io/memory internal/io/interrupt
	internal/io/vfs internal/testutil/faultfs internal/testutil/faults
	internal/io/atomicfile internal/io/codec internal/io/npy

	internal/linalg/floats internal/linalg/detmath
	internal/linalg/block internal/linalg/check internal/linalg/cpu
	internal/linalg/kernel/avx512 internal/linalg/kernel/avx2 internal/linalg/kernel/neon internal/linalg/kernel/pause
	internal/linalg/kernel internal/testutil/kernels internal/linalg/workers
	internal/linalg/blas12 internal/linalg/gemm internal/linalg/blas internal/linalg/openblas
	.
	internal/linalg/backend internal/linalg/openblas/opponents internal/testutil/backends
	internal/linalg/factor internal/linalg/factor/ldlt internal/linalg/factor/cholesky
	internal/linalg/factor/lu internal/linalg/factor/qr internal/linalg/factor/condition
	internal/linalg/factor/secular internal/linalg/factor/svd internal/linalg/factor/eigensym internal/linalg/factor/eigen

	mat lapack internal/selftest internal/testutil/golden

	blsupdate/types blsupdate/internal/dense blsupdate/internal/cost blsupdate/internal/state
	blsupdate/internal/pseudoinverse blsupdate/internal/ridge blsupdate/internal/cholesky blsupdate/internal/gram blsupdate/internal/qr blsupdate/internal/rates
	blsupdate

	dataset/internal/sets dataset/stream dataset
	bls/metrics bls/internal/choice bls bls/modelfile bls/model

	bench bench/speed bench/benchmarks bench/result bench/gate bench/report

	cmd/blskernel/flagvalue
	cmd/blskernel/internal/ui cmd/blskernel/internal/session cmd/blskernel/internal/score cmd/blskernel/internal/input cmd/blskernel/internal/learner
	cmd/blskernel/internal/train cmd/blskernel/internal/update cmd/blskernel/internal/remove cmd/blskernel/internal/merge cmd/blskernel/internal/calibrate
	cmd/blskernel/internal/predict cmd/blskernel/internal/evaluate cmd/blskernel/internal/verify cmd/blskernel/internal/importance cmd/blskernel/internal/export cmd/blskernel/internal/inspect
	cmd/blskernel/internal/experiment
	cmd/blskernel/internal/demo cmd/blskernel/internal/paper cmd/blskernel/internal/report cmd/blskernel/internal/bench
	cmd/blskernel/internal/flops cmd/blskernel/internal/plan cmd/blskernel/internal/info
	cmd/blskernel internal/soak examples/server internal/docs
`)

// below lists the packages that only the root and packages below it may import.
var below = strings.Fields(`internal/linalg/kernel internal/linalg/kernel/avx512 internal/linalg/kernel/avx2 internal/linalg/kernel/neon internal/linalg/gemm`)

func levelOf(path string) int {
	if path == "blskernel" {
		path = "."
	}
	return slices.Index(layers, strings.TrimPrefix(path, "blskernel/"))
}

// TestLayers checks that no import goes up, that nothing above the root imports a kernel, and that only
// internal/linalg/openblas imports netlib.
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
		level := levelOf(p.ImportPath)
		if level < 0 {
			t.Errorf("%s is in no layer", p.ImportPath)
			continue
		}
		seen++
		for _, path := range p.Imports {
			if strings.HasPrefix(path, "gonum.org/v1/netlib") && p.ImportPath != "blskernel/internal/linalg/openblas" {
				t.Errorf("%s imports %s", p.ImportPath, path)
			}
			if slices.Contains(below, strings.TrimPrefix(path, "blskernel/")) && level > levelOf("blskernel") {
				t.Errorf("%s imports %s, which only packages below the root may import", p.ImportPath, path)
			}
			if strings.HasPrefix(path, "blskernel") && levelOf(path) >= level {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, path)
			}
		}
	}
	if seen != len(layers) {
		t.Errorf("%d packages, %d layers", seen, len(layers))
	}
}

// TestCreations checks that no file is created through a link: each place that creates one uses O_EXCL
// or NoFollow, or a new folder of its own.
func TestCreations(t *testing.T) {
	creates := regexp.MustCompile(`\b(os\.Create|os\.WriteFile|OpenFile|flock\.New)\(.*`)
	own := map[string]string{
		"internal/io/vfs/vfs.go":                  "passes the flags on",
		"cmd/blskernel/internal/demo/commands.go": "writes to a folder of os.MkdirTemp",
		"examples/server/model.go":                "reads",
	}
	places := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == "make" || path == "internal/testutil" || e.Name() == "_asm" || e.Name() == "testdata"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, line := range creates.FindAllString(string(text), -1) {
			places++
			if own[path] == "" && !strings.Contains(line, "O_EXCL") && !strings.Contains(line, "NoFollow") {
				t.Errorf("%s: %s", path, line)
			}
		}
		return err
	})
	if err != nil || places < 5 {
		t.Errorf("%d places; %v", places, err)
	}
}
