package rates

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/lapack"
	"blskernel/mat"
)

// maxNumbers bounds the elements of a measured matrix: 67 MB, more than most caches hold.
const maxNumbers = 8 << 20

// maxRead bounds the elements of operands read before an operation: about the size of a core's caches.
const maxRead = 128 << 10

// A workspace holds the operands of measured operations. They are reused, so the last-level cache holds
// them if they fit.
type workspace struct {
	backend blskernel.Backend
	packed  blskernel.PackedProducts
	in      []float64 // random numbers between -1/2 and 1/2 for two matrices, never written
	out     []float64 // results: any numbers, none of them large
	sum     float64   // of the numbers read, so that the compiler keeps the reads
	fresh   []float64 // new storage

	choleskys map[int]*lapack.Cholesky // factors by their order; nothing overwrites them
	lus       map[int]*lapack.LU
}

func newWorkspace(b blskernel.Backend) *workspace {
	w := &workspace{
		backend: b, packed: blskernel.Packed(b),
		in: make([]float64, 2*maxNumbers), out: make([]float64, maxNumbers),
		choleskys: map[int]*lapack.Cholesky{}, lus: map[int]*lapack.LU{},
	}
	r := rand.New(rand.NewPCG(1, 0))
	for i := range w.in {
		w.in[i] = float64(r.Float64()) - 0.5
	}
	copy(w.out, w.in)
	return w
}

// call returns a function that executes an operation and returns its time, or nil if there is no such
// operation. The function first reads the operands and the result, as earlier steps of an update do.
// This fetches data that another core wrote last time, or that has left the caches.
func (w *workspace) call(o cost.Operation) func() time.Duration {
	restore, do := operations[o.Kind].prepare(w, o.M, o.N, o.K)
	if do == nil {
		return nil
	}
	numbers := min(o.M*o.N+o.N*o.K+o.M*o.K+packedLen(o.N), maxRead)
	switch o.Kind {
	case cost.Spmv, cost.Spr, cost.SpmmStrips, cost.SprkRows, cost.Carlson:
		numbers = 0 // updates by few rows need little but the state, which the last update left in the caches
	}
	return func() time.Duration {
		if restore != nil {
			restore()
		}
		const line = 8 // numbers in a cache line
		for i := 0; i < numbers; i += line {
			w.sum += w.in[i] + w.out[i]
		}
		began := time.Now()
		do()
		return time.Since(began)
	}
}

func (w *workspace) base(k int) *state.Base {
	return &state.Base{Counter: cost.NewCounter(w.backend), Options: types.Options{Backend: w.backend}, K: k}
}

func packedLen(n int) int { return n * (n + 1) / 2 }

// positive returns a positive definite packed matrix of order n, in new storage.
func (w *workspace) positive(n int) *mat.SymPacked {
	s := mat.NewSymPacked(n, slices.Clone(w.in[:packedLen(n)]))
	s.AddDiagonal(float64(n))
	return s
}

func (w *workspace) cholesky(n int) *lapack.Cholesky {
	return kept(w.choleskys, n, dense.NewCholesky(w.backend), w.positive)
}

// regular returns a nonsingular n×n matrix, in new storage.
func (w *workspace) regular(n int) *mat.Dense {
	m := mat.NewDense(n, n, slices.Clone(w.in[:n*n]))
	for i := range n {
		m.Set(i, i, m.At(i, i)+math.Sqrt(float64(n)))
	}
	return m
}

func (w *workspace) lu(n int) *lapack.LU {
	return kept(w.lus, n, dense.NewLU(w.backend), w.regular)
}

// kept returns the factor of order n, which it makes in f if there is none yet.
func kept[F interface{ FactorizeInPlace(M) error }, M any](factors map[int]F, n int, f F, of func(n int) M) F {
	if _, ok := factors[n]; !ok {
		must(f.FactorizeInPlace(of(n)))
		factors[n] = f
	}
	return factors[n]
}

// triangle returns a nonsingular upper triangular n×n matrix, in new storage.
func (w *workspace) triangle(n int) *mat.Dense {
	m := w.regular(n)
	for i := range n {
		m.Set(i, i, m.At(i, i)+float64(n))
		clear(m.RawRowView(i)[:i])
	}
	return m
}

// operand returns an m×n matrix of random numbers, which must not be written.
func (w *workspace) operand(m, n int) *mat.Dense { return mat.NewDense(m, n, w.in[:m*n:m*n]) }

// result returns an m×n matrix for results. Its contents are undefined.
func (w *workspace) result(m, n int) *mat.Dense { return mat.NewDense(m, n, w.out[:m*n:m*n]) }

// must panics if err is not nil. The operands of the timed operations are chosen so that none can fail.
func must(err error) {
	if err != nil {
		panic("blsupdate: an operation on a nonsingular matrix failed: " + err.Error())
	}
}
