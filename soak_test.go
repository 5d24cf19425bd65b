package blskernel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel"
	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/backend"
	"blskernel/internal/testutil/faults"
	"blskernel/internal/testutil/long"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// soakRounds is how often TestSoak does every task twice. With BLSKERNEL_LONG=1 it does each 1200 times, as a process does
// in an hour that is asked for each of them every three seconds.
func soakRounds() int {
	switch {
	case long.Asked():
		return 600
	case testing.Short():
		return 2
	default:
		return 5
	}
}

const (
	soakCallers = 6
	soakEps     = 0x1p-52
)

// A soakTask is work on operands that nobody changes, so that any number of goroutines may do it at once. What it makes
// and changes is its own.
type soakTask struct {
	name string
	run  func() ([]float64, error)

	// bound is how far an element of the result may be from that of a run alone: 0 on the backend pure, which promises
	// every bit for any number of threads, and elsewhere what both runs may be off by rounding. It counts times the
	// norm of the result where relative is set.
	bound    float64
	relative bool

	want []float64
}

// agrees returns an error unless the task gives what it gives alone.
func (s *soakTask) agrees() error {
	got, err := s.run()
	if err != nil {
		return err
	}
	if len(got) != len(s.want) {
		return fmt.Errorf("%d numbers, alone %d", len(got), len(s.want))
	}
	bound := s.bound
	if s.relative {
		var squares float64
		for _, v := range s.want {
			squares += v * v
		}
		bound *= math.Sqrt(squares)
	}
	for i, v := range got {
		if math.Float64bits(v) == math.Float64bits(s.want[i]) {
			continue
		}
		if bound == 0 || !(math.Abs(v-s.want[i]) <= bound) {
			return fmt.Errorf("number %d is %v, alone %v; they may differ by %.2g", i, v, s.want[i], bound)
		}
	}
	return nil
}

// Many goroutines do everything that the module has at once, on several backends and kernels, while others change the
// number of threads and of processors and collect garbage. Every result is what it is alone: to the bit on the backend
// pure, and within the bounds of rounding on others. In the end there are no more goroutines, files and memory in use
// than after the first round, whatever the number of rounds.
func TestSoak(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer blskernel.SetThreads(0)
	tasks := soakTasks(t)
	blskernel.SetThreads(1)
	for _, s := range tasks {
		var err error
		if s.want, err = s.run(); err != nil {
			t.Fatalf("%s, alone: %v", s.name, err)
		}
		if len(s.want) == 0 {
			t.Fatalf("%s, alone: no result", s.name)
		}
	}
	blskernel.SetThreads(0)
	goroutines := runtime.NumGoroutine()
	processors := runtime.GOMAXPROCS(0)
	var first inUse
	rounds := soakRounds()
	for round := range rounds {
		soakRound(t, tasks, uint64(round))
		if round == 0 || round == rounds-1 || t.Failed() {
			blskernel.SetThreads(0)
			runtime.GOMAXPROCS(processors)
			now := use(t, goroutines)
			if round == 0 {
				first = now
			}
			t.Logf("after round %d of %d tasks: %+v", round+1, len(tasks), now)
			now.noMoreThan(t, first)
		}
		if t.Failed() {
			return
		}
	}
}

// soakRound does every task twice, in a random order.
func soakRound(t *testing.T, tasks []*soakTask, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 17))
	order := append(rnd.Perm(len(tasks)), rnd.Perm(len(tasks))...)
	var done atomic.Bool
	var changing, calling sync.WaitGroup
	changing.Add(1)
	go func() {
		defer changing.Done()
		for n := 0; !done.Load(); n++ {
			blskernel.SetThreads(n % 5)
			if n%16 == 0 { // it stops the world
				runtime.GOMAXPROCS(1 + n/16%4)
			}
			if n%64 == 32 {
				runtime.GC() // which takes away what is kept from call to call
			}
			if _, err := blskernel.Lookup(""); err != nil || blskernel.Threads() < 1 || blskernel.Describe(nil).Reason == "" || len(blskernel.Names()) == 0 {
				t.Errorf("the backends: %v", err)
			}
			time.Sleep(300 * time.Microsecond)
		}
	}()
	var next atomic.Int64
	for range soakCallers {
		calling.Add(1)
		go func() {
			defer calling.Done()
			for {
				i := next.Add(1) - 1
				if i >= int64(len(order)) || t.Failed() {
					return
				}
				if err := tasks[order[i]].agrees(); err != nil {
					t.Errorf("%s: %v", tasks[order[i]].name, err)
				}
			}
		}()
	}
	calling.Wait()
	done.Store(true)
	changing.Wait()
}

// inUse is what a leak would make more of.
type inUse struct {
	heap    uint64 // bytes
	objects uint64
	files   int // open, where Linux says how many
	threads int // of the operating system that the runtime has, which are told and not judged
}

// use returns what is in use once there are no more goroutines than there were and the garbage is collected: twice,
// because a sync.Pool lets go of what it has at the second time.
func use(t *testing.T, goroutines int) inUse {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			all := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), goroutines, all[:runtime.Stack(all, true)])
		}
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open, _ := os.ReadDir("/proc/self/fd")
	return inUse{heap: m.HeapAlloc, objects: m.HeapObjects, files: len(open), threads: pprof.Lookup("threadcreate").Count()}
}

// noMoreThan fails the test where something has leaked. The runtime and the testing package keep a little for
// themselves, some 50 KB whatever the rounds. Beyond what is let pass is after the long test what each run of a single task
// has kept, if that is 220 bytes or more.
func (u inUse) noMoreThan(t *testing.T, first inUse) {
	t.Helper()
	const heap, objects = 1 << 18, 2000
	if u.heap > first.heap+heap || u.objects > first.objects+objects || u.files > first.files {
		t.Errorf("%+v are in use, after the first round %+v", u, first)
	}
}

// soakTasks are the tasks of all backends, and the products of all kernels.
func soakTasks(t *testing.T) []*soakTask {
	t.Helper()
	var tasks []*soakTask
	for _, name := range append(blskernel.Names(), "pure/generic", "pure/avx2", "pure/avx512") {
		b, err := blskernel.Lookup(name)
		var unavailable *blskernel.UnavailableError
		if errors.As(err, &unavailable) {
			continue // a kernel that this CPU has not
		}
		if err != nil {
			t.Fatal(err)
		}
		own := productTasks(b)
		if !strings.Contains(name, "/") {
			own = slices.Concat(own, factorizationTasks(t, b), updaterTasks(t, b), modelTasks(t, b))
		}
		for _, s := range own {
			if s.name = "backend=" + name + "/" + s.name; strings.HasPrefix(name, "pure") {
				s.bound = 0
			}
		}
		tasks = append(tasks, own...)
	}
	return append(tasks, streamTasks(t)...)
}

func uniform(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rnd.Float64() - 1
	}
	return x
}

// dominant is an n×n matrix of numbers in [-1, 1] but for its diagonal, which is ±2n: all its singular values are in
// [n, 3n] (C. R. Johnson, A Gersgorin-type lower bound for the smallest singular value, 1989), and ‖A⁻¹‖∞ <= 1/n.
func dominant(rnd *rand.Rand, n int, sign func(i int) float64) []float64 {
	a := uniform(rnd, n*n)
	for i := range n {
		a[i*n+i] = 2 * float64(n) * sign(i)
	}
	return a
}

func positive(int) float64      { return 1 }
func alternating(i int) float64 { return float64(1 - 2*(i%2)) }

// productTasks are the products of the BLAS, those with packed matrices and the fused ones, at a size at which they are
// worth several goroutines where none stands by, and at a small one.
//
// An element is a sum of at most 2K terms, for K the largest size, of which each is at most 0.7·3 (a diagonal 2n times
// larger than the rest is one of them), and of 1.3 of what C was. Each run is within gamma_{2K+4} of the exact one, so
// two of them are within twice that; Dtrsm, with ‖T⁻¹‖∞ ‖T‖∞ <= 3 and X below 0.7/n, is well within.
func productTasks(b blskernel.Backend) []*soakTask {
	var tasks []*soakTask
	for _, size := range [][3]int{{197, 211, 183}, {29, 19, 11}} {
		rnd := rand.New(rand.NewPCG(71, uint64(size[0])))
		m, n, k := size[0], size[1], size[2]
		const alpha, beta = 0.7, -1.3
		most := max(m, n, k)
		x, y := uniform(rnd, most*most), uniform(rnd, most*most)
		lower, symmetric := dominant(rnd, m, positive), uniform(rnd, m*m)
		packed, d, bias := uniform(rnd, n*(n+1)/2), uniform(rnd, k), uniform(rnd, n)
		before := uniform(rnd, most*most)
		bound := 2 * float64(2*most+4) * soakEps * (alpha*3*2*float64(most) - beta)
		product := func(name string, length int, call func(c []float64)) {
			tasks = append(tasks, &soakTask{name: fmt.Sprintf("%s/m=%d", name, m), bound: bound, run: func() ([]float64, error) {
				c := slices.Clone(before[:length])
				call(c)
				return c, nil
			}})
		}
		product("Dgemm", m*n, func(c []float64) {
			b.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, alpha, x, k, y, n, beta, c, n)
			b.Dgemm(blas.Trans, blas.Trans, m, n, k, alpha, x, m, y, k, beta/10, c, n)
		})
		product("Dsymm", m*n, func(c []float64) { b.Dsymm(blas.Left, blas.Upper, m, n, alpha, symmetric, m, x, n, beta, c, n) })
		product("Dsyrk", n*n, func(c []float64) { b.Dsyrk(blas.Lower, blas.Trans, n, k, alpha, x, n, beta, c, n) })
		product("Dsyr2k", m*m, func(c []float64) { b.Dsyr2k(blas.Upper, blas.NoTrans, m, k, alpha, x, k, y, k, beta, c, m) })
		product("Dtrmm", m*n, func(c []float64) {
			b.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, m, n, alpha, lower, m, c, n)
		})
		product("Dtrsm", m*n, func(c []float64) {
			b.Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n, m, alpha, lower, m, c, m)
		})
		p, f := blskernel.Packed(b), backend.Fused(b)
		product("Dgemmt", n*n, func(c []float64) {
			p.Dgemmt(blas.Upper, blas.Trans, blas.NoTrans, n, k, alpha, x, n, x, n, beta, c, n)
		})
		product("Dgemmtp", n*(n+1)/2, func(c []float64) { p.Dgemmtp(blas.NoTrans, blas.Trans, n, k, alpha, x, k, x, k, beta, c) })
		product("Dsprk", n*(n+1)/2, func(c []float64) { p.Dsprk(blas.NoTrans, n, k, alpha, x, k, beta, c) })
		product("Dspmm", m*n, func(c []float64) { p.Dspmm(blas.Right, m, n, alpha, packed, x, n, beta, c, n) })
		product("DgemmDiag", m*n, func(c []float64) {
			f.DgemmDiag(blas.NoTrans, blas.NoTrans, m, n, k, alpha, x, k, d, y, n, beta, c, n)
		})
		product("DsprkDiag", m*(m+1)/2, func(c []float64) { f.DsprkDiag(blas.Trans, m, k, alpha, x, m, d, beta, c) })
		product("DgemmTanh", m*n, func(c []float64) {
			f.DgemmTanh(blas.NoTrans, blas.Trans, m, n, k, alpha/float64(k), x, k, y, k, bias, c, n)
		})
		product("levels-1-and-2", 2*most, func(c []float64) {
			v, w := c[:most], c[most:]
			b.Dgemv(blas.NoTrans, m, n, alpha, x, n, w[:n], 1, beta, v[:m], 1)
			b.Dsymv(blas.Lower, m, alpha, symmetric, m, v[:m], 1, beta, w[:m], 1)
			b.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, m, lower, m, w[:m], 1)
			b.Dscal(most, 1/(1+b.Dnrm2(most, v, 1)+b.Dasum(most, w, 1)), v, 1)
			b.Daxpy(most, b.Ddot(most, v, 1, v, 1), v, 1, w, 1)
		})
		product("hold", m*n, func(c []float64) {
			defer backend.Acquire(b, 1e12)()
			for range 3 {
				b.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, alpha/3, x, k, y, n, beta/2, c, n)
			}
		})
	}
	return tasks
}

// factorOrder is the order of the matrices that are factored: on amd64 one at which factorizations hold goroutines for
// themselves, and elsewhere, where kernels are slower and do so before, one that takes as little time.
func factorOrder() int {
	if runtime.GOARCH == "amd64" {
		return 290
	}
	return 120
}

// A factored is a factorization of a shared matrix, with right-hand sides for it, and its inverse if it has one.
type factored struct {
	solver interface {
		SolveTo(dst, b *mat.Dense) error
		RCond() float64
	}
	rhs     *mat.Dense
	inverse func() ([]float64, error)
}

// read returns what can be read of a factorization without changing it.
func (f factored) read() ([]float64, error) {
	var x mat.Dense
	if err := f.solver.SolveTo(&x, f.rhs); err != nil {
		return nil, err
	}
	out := append(slices.Clone(x.RawMatrix().Data), f.solver.RCond())
	if d, ok := f.solver.(interface{ LogDet() (log, sign float64) }); ok {
		log, sign := d.LogDet()
		n, _ := f.rhs.Dims()
		out = append(out, log/float64(n*n), sign)
	}
	return out, nil
}

// factorizationTasks factor, solve and invert, each in storage of its own, and read factorizations that all share.
//
// The matrices are such that |L||U| <= 2n‖A‖∞ in the elimination (N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 9.5), and have a condition of 3, so that a solution is within gamma_{3n}·2n·3 <= 9n² eps
// of its norm, and that is at most 1/n for right-hand sides in [-1, 1]. Solutions of the least-squares problem, by 2n²
// roundings on the way, are within some 6n² eps of theirs, which is at most sqrt(2/n). Inverses and conditions take as
// much again some times over: 100 n sqrt(n) eps is the bound for all. The logarithm of a determinant is the sum of n such
// errors times n, and is divided by n².
func factorizationTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const targets = 7
	n := factorOrder()
	rnd := rand.New(rand.NewPCG(72, 1))
	square := mat.NewDense(n, n, dominant(rnd, n, alternating))
	other := mat.NewDense(n, n, dominant(rnd, n, positive))
	spd, indefinite := mat.NewSymPacked(n, nil), mat.NewSymPacked(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			spd.SetSym(i, j, other.At(i, j))
			indefinite.SetSym(i, j, other.At(i, j))
		}
		indefinite.SetSym(i, i, alternating(i)*other.At(i, i))
	}
	rhs := mat.NewDense(n, targets, uniform(rnd, n*targets))
	tall := mat.NewDense(2*n, n, slices.Concat(other.RawMatrix().Data, uniform(rnd, n*n)))
	tallRHS := mat.NewDense(2*n, targets, uniform(rnd, 2*n*targets))

	var tasks []*soakTask
	add := func(name string, run func() ([]float64, error)) {
		tasks = append(tasks, &soakTask{name: name, bound: 100 * float64(n) * math.Sqrt(float64(n)) * soakEps, run: run})
	}
	for _, kind := range []struct {
		name   string
		factor func() (factored, error)
	}{
		{"Cholesky", func() (factored, error) {
			f := &lapack.Cholesky{Backend: b}
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawSymPacked().Data, err
			}}, f.Factorize(spd)
		}},
		{"LDLT", func() (factored, error) {
			f := &lapack.LDLT{Backend: b}
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawSymPacked().Data, err
			}}, f.Factorize(indefinite)
		}},
		{"LU", func() (factored, error) {
			f := &lapack.LU{Backend: b}
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawMatrix().Data, err
			}}, f.Factorize(square)
		}},
		{"QR", func() (factored, error) {
			f := &lapack.QR{Backend: b}
			return factored{f, tallRHS, func() ([]float64, error) { return nil, nil }}, f.Factorize(tall)
		}},
	} {
		add(kind.name, func() ([]float64, error) {
			f, err := kind.factor()
			if err != nil {
				return nil, err
			}
			out, err := f.read()
			if err != nil {
				return nil, err
			}
			inverse, err := f.inverse()
			return append(out, inverse...), err
		})
		shared, err := kind.factor()
		if err != nil {
			t.Fatal(err)
		}
		add("shared-"+kind.name, shared.read)
	}
	add("AppendRows", func() ([]float64, error) {
		r, z := mat.NewDense(n, n, nil), mat.NewDense(n, targets, nil)
		if err := lapack.AppendRows(b, r, z, tall, gonum.DenseCopyOf(tallRHS)); err != nil {
			return nil, err
		}
		err := lapack.SolveTriangular(b, z, r, false)
		return z.RawMatrix().Data, err
	})
	add("Implementation", func() ([]float64, error) {
		a, swaps := slices.Clone(square.RawMatrix().Data), make([]int, n)
		work := make([]float64, 64*n)
		impl := lapack.Implementation{Backend: b}
		if !impl.Dgetrf(n, n, a, n, swaps) || !impl.Dgetri(n, a, n, swaps, work, len(work)) {
			return nil, errors.New("the matrix is singular")
		}
		return a, nil
	})
	return tasks
}

// updaterTasks are models of all methods that learn, are canceled, forget, unlearn, are written and read, and go on, each
// on a model of its own.
//
// Weights are within 50 sqrt(l) eps κ² of their norm for every method (docs/numerics.md), and after a removal of rows
// with a leverage h within 1e4 eps/(1-h) more; two of them are within twice that. The rows are such that κ < 5 and
// 1-h > 1/4, which is checked.
func updaterTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const (
		l, k, c = 200, 40, 3
		q       = 20
		wide    = 60
		kappa   = 5
	)
	rnd := rand.New(rand.NewPCG(73, 1))
	rows := func(q int) (a, y *mat.Dense) {
		return mat.NewDense(q, k, uniform(rnd, q*k)), mat.NewDense(q, c, uniform(rnd, q*c))
	}
	a0, y0 := rows(l)
	a1, y1 := rows(q)
	a2, y2 := rows(wide)
	weights := uniform(rnd, q)
	for i := range weights {
		weights[i]++
	}
	var svd gonum.SVD
	if !svd.Factorize(a0, gonum.SVDNone) || !(svd.Cond() < kappa) {
		t.Fatalf("the condition of the first rows is %v", svd.Cond())
	}
	// For s = (‖Ax‖ / the smallest singular value of the first rows)² it is 1-h >= 1/(1+s).
	least := svd.Values(nil)[k-1]
	if !svd.Factorize(a1, gonum.SVDNone) || !(math.Pow(svd.Values(nil)[0]/least, 2) < 3) {
		t.Fatal("the rows that are removed are too large")
	}
	bound := 2 * (50*math.Sqrt(l+2*q+wide)*soakEps*kappa*kappa + 4e4*soakEps)

	var tasks []*soakTask
	for _, way := range []struct {
		method blsupdate.Method
		form   blsupdate.Form
	}{
		{blsupdate.Gram, blsupdate.Auto}, {blsupdate.QR, blsupdate.Auto},
		{blsupdate.RidgeInverse, blsupdate.Small}, {blsupdate.RidgeInverse, blsupdate.Large},
		{blsupdate.InverseCholesky, blsupdate.Small}, {blsupdate.InverseCholesky, blsupdate.Large},
		{blsupdate.Original, blsupdate.Auto},
		{blsupdate.Improved, blsupdate.Small}, {blsupdate.Improved, blsupdate.Large}, {blsupdate.Improved, blsupdate.Compressed},
	} {
		opt := blsupdate.Options{Form: way.form, Backend: b}
		if way.method != blsupdate.Original && way.method != blsupdate.Improved {
			opt.Lambda = 1e-3
		}
		run := func() ([]float64, error) {
			u, err := blsupdate.New(way.method, a0, y0, opt)
			if err != nil {
				return nil, err
			}
			if err := canceledOnce(u, a1, y1); err != nil {
				return nil, err
			}
			for _, step := range []func() error{
				func() error { return u.AddInputs(a1, y1) },
				func() error { return u.AddWeightedInputs(a1, y1, weights) },
				func() error { return u.RemoveInputs(a1, y1) },
				func() error { return u.Forget(0.75) },
				func() error { u, err = again(u, b); return err },
				func() error { return u.AddInputs(a2, y2) },
			} {
				if err := step(); err != nil {
					return nil, err
				}
			}
			w, err := u.Weights()
			if err != nil {
				return nil, err
			}
			if d := u.Condition().Digits; !(d > 6) {
				return nil, fmt.Errorf("%v digits", d)
			}
			return w.RawMatrix().Data, nil
		}
		tasks = append(tasks, &soakTask{name: fmt.Sprintf("%v-%v", way.method, way.form), bound: bound, relative: true, run: run})
	}
	return tasks
}

// canceledOnce adds rows with a context that is done, which changes nothing.
func canceledOnce(u blsupdate.Updater, ax, ya *mat.Dense) error {
	before, err := digest(u)
	if err != nil {
		return err
	}
	if err := u.AddInputsContext(faults.CanceledAfter(0), ax, ya); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("canceled: %v", err)
	}
	after, err := digest(u)
	if err == nil && after != before {
		err = errors.New("an update that was canceled has changed the model")
	}
	return err
}

// digest is that of the encoding of a model.
func digest(u blsupdate.Updater) (uint64, error) {
	h := fnv.New64a()
	err := blsupdate.Encode(h, u)
	return h.Sum64(), err
}

// again returns what is read of what is written of u, which is written as the same.
func again(u blsupdate.Updater, b blskernel.Backend) (blsupdate.Updater, error) {
	var text bytes.Buffer
	if err := blsupdate.Encode(&text, u); err != nil {
		return nil, err
	}
	v, err := blsupdate.Decode(bytes.NewReader(text.Bytes()), b)
	if err != nil {
		return nil, err
	}
	var second bytes.Buffer
	if err := blsupdate.Encode(&second, v); err != nil {
		return nil, err
	}
	if !bytes.Equal(text.Bytes(), second.Bytes()) {
		return nil, errors.New("what was read is written as something else")
	}
	return v, nil
}

// modelTasks fit classifiers and regressors, each of its own, and read some that all share, also in one file.
//
// On a backend that does not promise bits, what feature maps that are fitted by 50 iterations amount to has no bound
// that is of use. There the classes of the samples count, which are so far apart that rounding does not
// exchange them: by half of what a class is apart from the others, which is checked.
func modelTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const l, first, d, classes = 150, 100, 12, 3
	rnd := rand.New(rand.NewPCG(74, 1))
	x, labels := mat.NewDense(l, d, uniform(rnd, l*d)), make([]int, l)
	for i := range l {
		labels[i] = i % classes
		x.Set(i, labels[i], x.At(i, labels[i])+8)
	}
	part := func(from, to int) *mat.Dense { return x.Slice(from, to, 0, d).(*mat.Dense) }
	exact := b.Name() == "pure"
	result := func(c *bls.Classifier) ([]float64, error) {
		scores, err := c.DecisionFunction(x)
		if err != nil {
			return nil, err
		}
		predicted := bls.ArgMax(scores)
		for i, class := range predicted {
			for j := range classes {
				if j != class && !(scores.At(i, class)-scores.At(i, j) > 0.5) {
					return nil, fmt.Errorf("the scores of sample %d are %v", i, scores.RawRowView(i))
				}
			}
		}
		if exact {
			return scores.RawMatrix().Data, nil
		}
		out := make([]float64, l)
		for i, class := range predicted {
			out[i] = float64(class)
		}
		return out, nil
	}
	features := bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 3, GroupNodes: 4, EnhancementNodes: 30, Seed: 9}

	var tasks []*soakTask
	add := func(name string, run func() ([]float64, error)) {
		tasks = append(tasks, &soakTask{name: name, run: run})
	}
	for _, method := range blsupdate.Methods() {
		fit := func() (*bls.Classifier, error) {
			c := &bls.Classifier{Backend: b, Features: features, Method: method, Update: blsupdate.Options{Lambda: 1e-4}}
			return c, c.Fit(part(0, first), labels[:first])
		}
		add(fmt.Sprintf("classifier-%v", method), func() ([]float64, error) {
			c, err := fit()
			if err != nil {
				return nil, err
			}
			if err := c.PartialFitContext(faults.CanceledAfter(1), part(first, l), labels[first:]); !errors.Is(err, context.Canceled) {
				return nil, fmt.Errorf("canceled: %v", err)
			}
			var text bytes.Buffer
			if err := c.Encode(&text); err != nil {
				return nil, err
			}
			if c, err = bls.DecodeClassifier(&text, b); err != nil {
				return nil, err
			}
			if err := c.PartialFit(part(first, l), labels[first:]); err != nil {
				return nil, err
			}
			return result(c)
		})
		shared, err := fit()
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := shared.Encode(&written); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "shared.bls")
		add(fmt.Sprintf("shared-classifier-%v", method), func() ([]float64, error) {
			var text bytes.Buffer
			if err := shared.Encode(&text); err != nil {
				return nil, err
			}
			if !bytes.Equal(text.Bytes(), written.Bytes()) {
				return nil, errors.New("the model is written as something else")
			}
			// All tasks write the same model to the same file, which is there as a whole at any time.
			if err := modelfile.Save(path, &modelfile.File{Classifier: shared}); err != nil {
				return nil, err
			}
			loaded, err := modelfile.Load(path, b)
			if err != nil {
				return nil, err
			}
			text.Reset()
			if err := loaded.Classifier.Encode(&text); err != nil {
				return nil, err
			}
			if !bytes.Equal(text.Bytes(), written.Bytes()) {
				return nil, errors.New("another model is in the file")
			}
			return result(shared)
		})
	}
	return tasks
}

// streamTasks read one file, each by a Reader of its own, to the end and only in part: what reads ahead ends with it.
func streamTasks(t *testing.T) []*soakTask {
	t.Helper()
	const l, d = 5000, 20
	rnd := rand.New(rand.NewPCG(75, 1))
	var text bytes.Buffer
	for range l {
		for j := range d {
			fmt.Fprintf(&text, "%v%c", rnd.NormFloat64(), ",\n"[j/(d-1)])
		}
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(most int) ([]float64, error) {
		r, err := stream.Open(context.Background(), []string{path}, stream.Options{})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		var sums []float64
		for len(sums) < most {
			batch, err := r.Next(700)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			sums = append(sums, gonum.Sum(batch.X))
		}
		return sums, r.Close()
	}
	return []*soakTask{
		{name: "read-a-file", run: func() ([]float64, error) { return read(math.MaxInt) }},
		{name: "read-some-of-a-file", run: func() ([]float64, error) { return read(1) }},
	}
}
