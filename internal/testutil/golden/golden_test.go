package golden_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/selftest"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/hashes"
	"blskernel/mat"
)

// The rules that make results the same everywhere, as in docs/reproducibility.md.
const (
	ruleProduct   = "an element of a product is one chain of FMAs for each block of at most KC = 256 terms, in the order of k"
	ruleTriangle  = "diagonal blocks of 128, and in each an element is one chain of FMAs"
	ruleReduction = "reductions have 32 lanes and one tree; vectors of eight, then single elements, come last"
	ruleElement   = "one rounding or one FMA for each element, in the order of the rows"
	ruleLapack    = "panels and recursions are cut by constants, and plain code rounds every product"
	ruleUpdate    = "updates consist of products, factorizations and code that rounds every product"
	ruleFeatures  = "elementary functions and random numbers are our own; plain code rounds every product"
)

type recorder struct {
	testing.TB
	*hashes.Book
}

func (r recorder) add(name, rule string, results ...[]float64) {
	r.Check(r.TB, name, rule, selftest.Sum(results...))
}

// some is true if the tests leave out results, as they do in an emulator. There the two largest orders
// of a factorization take as long as all else, and models that choose their settings take even longer.
var some = testutil.Emulated() && !testutil.Long()

func TestMain(m *testing.M) {
	if some {
		orders = orders[:len(orders)-2]
	}
	os.Exit(m.Run())
}

// each runs f on every kernel of this machine, each time as one run of the section.
func each(t *testing.T, section string, f func(r recorder, b blskernel.Backend)) {
	if why := selftest.Outside(); why != "" {
		t.Skip(why)
	}
	book := hashes.Open(section)
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
		if b.Name() == "openblas" {
			t.Skip("docs/reproducibility.md promises nothing for OpenBLAS")
		}
		book.Begin()
		f(recorder{t, book}, b)
		if !some {
			book.End(t)
		}
	})
}

func dense(s *selftest.Source, rows, cols int) *mat.Dense {
	return mat.NewDense(rows, cols, s.Vector(rows*cols))
}

func numbers(all ...*mat.Dense) (x []float64) {
	for _, m := range all {
		rows, cols := m.Dims()
		for i := range rows {
			for j := range cols {
				x = append(x, m.At(i, j))
			}
		}
	}
	return x
}

// failure returns an error as a result: the letters of its type.
func failure(err error) []float64 {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	kind := []float64{}
	// Users know the types of package types by their names in blsupdate.
	for _, c := range strings.Replace(fmt.Sprintf("%T", err), "*types.", "*blsupdate.", 1) {
		kind = append(kind, float64(c))
	}
	return kind
}

// TestGoldenSelfTest hashes the results that 'blskernel info' and the page on reproducibility show.
func TestGoldenSelfTest(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reproducibility.md")
	testutil.NoError(t, err)
	each(t, "selftest", func(r recorder, b blskernel.Backend) {
		testutil.Contains(r, string(page), selftest.SelfTest(b))
		var hash uint64
		if _, err := fmt.Sscanf(selftest.SelfTest(b), "%x", &hash); err != nil {
			r.Fatal(err)
		}
		r.Check(r.TB, "info", ruleProduct, hash)
	})
}
