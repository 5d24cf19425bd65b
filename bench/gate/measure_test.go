package main

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/kernel"
	"blskernel/mat"
)

// TestTasks prepares each task that is small and has all backends compute it, which checks it.
func TestTasks(t *testing.T) {
	s, err := newStand(kernel.Names())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, task := range tasks() {
		if names[task.name] {
			t.Errorf("%s is there twice", task.name)
		}
		names[task.name] = true
		if !(task.flops > 0) {
			t.Errorf("%s: %v flops", task.name, task.flops)
		}
		if !strings.HasSuffix(task.name, " 100") {
			continue
		}
		entrants, err := s.entrants(group{task, 1}, s.kernels)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(s.backends()); len(entrants) != want {
			t.Errorf("%s: %d entrants; want %d", task.name, len(entrants), want)
		}
		for _, e := range entrants {
			e.Reset()
			e.Call()
			if err := e.err(); err != nil {
				t.Errorf("%s: %v", task.name, err)
			}
		}
	}
	for _, want := range []string{"dgemm TT 1000", "dsprk T 300", "ldlt-inverse 100", "gram-update 300", "qr-update 100"} {
		if !names[want] {
			t.Errorf("there is no %s among %v", want, names)
		}
	}
}

// TestMeasure measures a task for a moment: all ratios are there, and the bound of threads is what it was.
func TestMeasure(t *testing.T) {
	s, err := newStand(kernel.Names())
	if err != nil {
		t.Fatal(err)
	}
	small := ofSpeed("dgemm", "NN", 20)
	for threads := 1; threads <= min(2, runtime.GOMAXPROCS(0)); threads++ {
		got, err := s.measure(context.Background(), group{small, threads}, s.kernels, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.kernels {
			of := got[k]
			if len(of[byPeak]) == 0 && threads > 1 { // others had the CPUs
				continue
			}
			if len(of[byPeak]) != 2 || len(of[byOpenBLAS]) != 2 && s.rival != nil {
				t.Errorf("%s, threads %d: %v", k, threads, of)
			}
			for _, v := range slices.Concat(of[:]...) {
				if !(v > 0) || math.IsInf(v, 0) {
					t.Errorf("%s, threads %d: %v", k, threads, of)
				}
			}
		}
		if len(s.peaks[threads]) < 2 || !(s.peaks[threads][0] > 0) {
			t.Errorf("peaks %v", s.peaks)
		}
	}
	if blskernel.Threads() != runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads afterwards", blskernel.Threads())
	}
}

// TestRatios has times that are known.
func TestRatios(t *testing.T) {
	s := &stand{steps: 1000, fastest: kernel.Kernel{PeakWidth: 5}} // 10⁴ flops on a thread
	g := group{task{flops: 1000}, 2}
	entrants := []entrant{{kernel: "wide"}, {kernel: "narrow"}, {}}
	peaks := []float64{1e-6, 2e-6}
	seconds := [][]float64{{1e-7, 4e-7}, {2e-7, 4e-7}, {4e-7, 4e-7}} // the peak makes 20 and then 10 GFLOP/s
	got := s.ratios(g, entrants, peaks, seconds)
	for k, want := range map[string]series{
		"wide":   {{0.5, 0.25}, {4, 1}},
		"narrow": {{0.25, 0.25}, {2, 1}},
	} {
		for r := range references {
			for i, w := range want[r] {
				if v := got[k][r][i]; !(math.Abs(v/w-1) <= 1e-14) {
					t.Errorf("%s: %v; want %v", k, got[k], want)
				}
			}
		}
	}
	got = s.ratios(g, entrants[:2], peaks, seconds[:2]) // without OpenBLAS
	if len(got["narrow"][byPeak]) != 2 || len(got["narrow"][byOpenBLAS]) != 0 {
		t.Errorf("%v", got)
	}
}

// TestMeasureErrors has a context that is cancelled, operands that a backend gets wrong, and calls that
// fail.
func TestMeasureErrors(t *testing.T) {
	s, err := newStand([]string{"generic"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.measure(context.Background(), group{ofSpeed("dgemm", "NN", 1000), 1}, s.kernels, 1); len(got) != 0 || err != nil {
		t.Errorf("the portable kernel on a large case: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	cancel(stop)
	if _, err := s.measure(ctx, group{ofSpeed("ddot", "", 10), 1}, s.kernels, 1); err != stop {
		t.Errorf("cancelled: %v", err)
	}
	bad := model{method: blsupdate.Gram, shape: blsupdate.Shape{L: 9, K: 3, Q: 1, C: 2}}.prepare().(model)
	bad.a.Set(0, 0, math.NaN())
	if _, err := s.measure(context.Background(), group{task{"bad", 1, func() operands { return bad }}, 1}, s.kernels, 1); err == nil {
		t.Error("NaN is learned")
	}
	for _, names := range [][]string{{"generic", "generic"}, {"nonsense"}} {
		if _, err := newStand(names); err == nil {
			t.Errorf("%v: no error", names)
		}
	}
	defer func() {
		if r := recover(); r != "gate: no such case of package speed" {
			t.Errorf("panics with %v", r)
		}
	}()
	ofSpeed("dgemm", "XX", 1)
}

// TestCheckModel has weights that are right, and a model of other samples, whose weights are wrong.
func TestCheckModel(t *testing.T) {
	m := model{method: blsupdate.Gram, shape: blsupdate.Shape{L: 30, K: 10, Q: 3, C: 2}}.prepare().(model)
	right, err := blsupdate.New(m.method, m.a, m.y, blsupdate.Options{Lambda: ridge})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.check(right); err != nil {
		t.Error(err)
	}
	if err := m.check(right); err == nil {
		t.Error("the rows are learned twice, and nobody sees it")
	}
	wide := mat.NewDense(30, 11, nil)
	other, err := blsupdate.New(m.method, wide, m.y, blsupdate.Options{Lambda: ridge})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.check(other); err == nil {
		t.Error("rows of another width are learned")
	}
}
