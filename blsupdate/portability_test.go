package blsupdate

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "write the states of this architecture in testdata anew")

// elsewhere are the architectures of which states are in testdata: one that is little-endian and one
// that is big-endian.
var elsewhere = []string{"amd64", "s390x"}

// exactRows are the rows and targets that the states in testdata have learned. They are sums of powers
// of two, so they are the same to the bit wherever they are made.
func exactRows(seed uint64, q, k, c int) (a, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 1))
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(4001)-2000) / 1024
		}
		return x
	}
	return mat.NewDense(q, k, numbers(q*k)), mat.NewDense(q, c, numbers(q*c))
}

// TestStatesFromElsewhere reads the states that two architectures of opposite byte order have written.
// Their weights are those of the rows that they have learned, they are written as the same bytes, and
// they go on: rows that they have learned elsewhere are unlearned, which Original and Improved must
// recognize, and others learned.
//
//	GOARCH=s390x go test -exec qemu-s390x -run Elsewhere ./blsupdate -update
//
// makes the states of s390x anew, and without GOARCH and -exec those of amd64.
func TestStatesFromElsewhere(t *testing.T) {
	const l, q, k, c = 14, 4, 6, 2
	a0, y0 := exactRows(1, l, k, c)
	a1, y1 := exactRows(2, q, k, c)
	a2, y2 := exactRows(3, q, k, c)
	learned, targets := stack(a0, a1), stack(y0, y1)
	kept, keptTargets := stack(a0, a2), stack(y0, y2)
	var svd gonummat.SVD
	if !svd.Factorize(a0, gonummat.SVDNone) {
		t.Fatal("singular value decomposition failed")
	}
	least := svd.Values(nil)[k-1]
	for _, method := range Methods() {
		v := variant{method, Auto, false}
		lambda := 0.0
		if v.ridgeSolver() {
			lambda = 0.5
		}
		bound := v.accuracy(l+q, kappaOf(a0, lambda))
		// The leverage h of the rows that are unlearned: 1/(1-h) <= 1 + (‖Ax‖ / least)², by
		// which removals are judged.
		unlearned := 1e4 * dense.Eps * (1 + math.Pow(gonummat.Norm(a1, 2)/least, 2))
		for _, arch := range elsewhere {
			path := filepath.Join("testdata", fmt.Sprintf("v1-%v-%s.state", method, arch))
			if *update && runtime.GOARCH == arch {
				u := v.start(t, nil, a0, y0, lambda)
				do(t, u, u.AddInputs(a1, y1))
				weights(t, u) // which Gram and QR keep
				var out bytes.Buffer
				do(t, u, Encode(&out, u))
				must(t, os.MkdirAll(filepath.Dir(path), 0o777))
				must(t, os.WriteFile(path, out.Bytes(), 0o666))
			}
			t.Run(fmt.Sprintf("%v/%s", method, arch), func(t *testing.T) {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				u, err := Decode(bytes.NewReader(text), nil)
				if err != nil {
					t.Fatal(err)
				}
				if u.Method() != method || u.Samples() != l+q || u.Nodes() != k || u.Targets() != c || u.Lambda() != lambda {
					t.Errorf("%v of %d rows, %d nodes and %d targets, lambda = %v", u.Method(), u.Samples(), u.Nodes(), u.Targets(), u.Lambda())
				}
				var out bytes.Buffer
				if err := Encode(&out, u); err != nil || !bytes.Equal(out.Bytes(), text) {
					t.Errorf("written as other bytes: %v", err)
				}
				checkWeights(t, u, learned, targets, lambda, bound)
				do(t, u, u.RemoveInputs(a1, y1))
				do(t, u, u.AddInputs(a2, y2))
				checkWeights(t, u, kept, keptTargets, lambda, bound+unlearned)
			})
		}
	}
}
