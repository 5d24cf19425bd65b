package soak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
)

const (
	soakCallers = 6
	soakEps     = 0x1p-52
)

// A soakTask is work on constant operands, so that any number of goroutines may do it at once. It
// writes only to memory that it has allocated itself.
type soakTask struct {
	name string
	run  func() ([]float64, error)

	// bound is the largest allowed difference of an element from a run alone. It is 0 on the
	// backend pure, which promises every bit for any number of threads. Elsewhere it bounds the
	// rounding errors of both runs. If relative is true, it multiplies the norm of the result.
	bound    float64
	relative bool

	want []float64
}

// agrees runs the task, and returns an error unless the result agrees with the result of a run alone.
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

// TestSoak runs all tasks on many goroutines at once, on several backends and kernels. Meanwhile it
// changes the number of threads and of processors, and collects garbage. Every result equals the result
// of a run alone: to the bit on the backend pure, and up to rounding on others. At the end, no more
// goroutines, files and memory are in use than after the first round, for any number of rounds.
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
	goroutines := testutil.Goroutines()
	processors := runtime.GOMAXPROCS(0)
	var first inUse
	rounds := 2
	if testutil.Long() { // each task 400 times
		rounds = 200
	}
	if testutil.Long() && testutil.UnderRace() { // leaks need many rounds to be seen, races do not
		rounds = 60
	}
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

// soakRound runs every task twice, in random order. Before each run it changes the number of threads,
// and before some runs the number of processors, or it collects garbage.
func soakRound(t *testing.T, tasks []*soakTask, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 17))
	order := append(rnd.Perm(len(tasks)), rnd.Perm(len(tasks))...)
	var next atomic.Int64
	var calling sync.WaitGroup
	for range soakCallers {
		calling.Add(1)
		go func() {
			defer calling.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(order) || t.Failed() {
					return
				}
				blskernel.SetThreads(i % 5)
				if i%16 == 0 { // it stops the world
					runtime.GOMAXPROCS(1 + i/16%4)
				}
				if i%64 == 32 {
					runtime.GC()
				}
				if _, err := blskernel.Lookup(""); err != nil || blskernel.Threads() < 1 || blskernel.Describe(nil).Reason == "" || len(blskernel.Names()) == 0 {
					t.Errorf("the backends: %v", err)
				}
				if err := tasks[order[i]].agrees(); err != nil {
					t.Errorf("%s: %v", tasks[order[i]].name, err)
				}
			}
		}()
	}
	calling.Wait()
}

// inUse has the numbers that a leak would increase.
type inUse struct {
	heap    uint64 // bytes
	objects uint64
	files   int // open, if Linux says how many
	threads int // operating system threads that the runtime has created; logged, but not checked
}

// use returns what is in use once there are no more goroutines than before and the garbage has been
// collected. It collects twice, because a sync.Pool frees its items at the second collection.
func use(t *testing.T, goroutines int) inUse {
	t.Helper()
	testutil.WaitGoroutines(t, goroutines)
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open, _ := os.ReadDir("/proc/self/fd")
	return inUse{heap: m.HeapAlloc, objects: m.HeapObjects, files: len(open), threads: pprof.Lookup("threadcreate").Count()}
}

// noMoreThan fails the test if something has leaked. The runtime and the testing package keep about
// 50 KB for themselves, for any number of rounds. In its long form the test detects a task that leaks
// 220 bytes or more in each run.
func (u inUse) noMoreThan(t *testing.T, first inUse) {
	t.Helper()
	const heap, objects = 1 << 18, 2000
	if u.heap > first.heap+heap || u.objects > first.objects+objects || u.files > first.files {
		t.Errorf("in use: %+v; after the first round: %+v", u, first)
	}
}

// soakTasks returns the tasks of all backends, and the products of all kernels.
func soakTasks(t *testing.T) []*soakTask {
	t.Helper()
	var tasks []*soakTask
	for _, name := range append(blskernel.Names(), "pure/generic", "pure/neon", "pure/avx2", "pure/avx512") {
		b, err := blskernel.Lookup(name)
		var unavailable *blskernel.UnavailableError
		if errors.As(err, &unavailable) {
			continue // this CPU does not have the kernel
		}
		testutil.NoError(t, err)
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

// dominant returns an n×n matrix of numbers in [-1, 1] except for its diagonal, which is ±2n. All its
// singular values are in [n, 3n] (C. R. Johnson, A Gersgorin-type lower bound for the smallest singular
// value, 1989), and ‖A⁻¹‖∞ <= 1/n.
func dominant(rnd *rand.Rand, n int, sign func(i int) float64) []float64 {
	a := uniform(rnd, n*n)
	for i := range n {
		a[i*n+i] = 2 * float64(n) * sign(i)
	}
	return a
}

func positive(int) float64      { return 1 }
func alternating(i int) float64 { return float64(1 - 2*(i%2)) }
