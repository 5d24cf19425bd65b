package bench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

func smallCrossover(t *testing.T, backend string) *Crossover {
	t.Helper()
	b, err := blskernel.Lookup(backend)
	testutil.NoError(t, err)
	variants := append(Variants(blsupdate.Methods()...), Variant{Method: blsupdate.Improved, Form: blsupdate.Large, Solve: true})
	return &Crossover{
		L: 60, K: 12, C: 2, Q: []int{1, 5, 12, 40, 130}, Variants: variants, Lambda: 0x1p-30, Rounds: 3, Seed: 7,
		Backend: b, Rates: blsupdate.ConstantRates(1e10, 1e9),
	}
}

// TestCrossover takes all methods on every backend. The flops are those of the model at the same l in
// every round, which they are only if the model was brought back to it.
func TestCrossover(t *testing.T) {
	for _, name := range blskernel.Names() {
		t.Run("backend="+name, func(t *testing.T) {
			c := smallCrossover(t, name)
			var points []CrossoverPoint
			last := -1.0
			err := c.Run(context.Background(), func(p CrossoverPoint) error { points = append(points, p); return nil }, func(done, total float64, doing string) {
				if !(done/total > last && done < total) || doing == "" {
					t.Errorf("progress %v after %v, %q", done/total, last, doing)
				}
				last = done / total
			})
			testutil.NoError(t, err)
			if len(points) != len(c.Q) {
				t.Fatalf("%d points", len(points))
			}
			for i, p := range points {
				if p.Backend != name || p.L != 60 || p.K != 12 || p.Q != c.Q[i] || p.C != 2 || p.Lambda != 0x1p-30 || p.Rounds != 3 || len(p.Methods) != len(c.Variants)+1 {
					t.Fatalf("%+v", p)
				}
				for j, v := range c.Variants {
					shape := blsupdate.Shape{L: p.L, K: p.K, Q: p.Q, C: p.C}
					opt := v.options(blsupdate.Options{Lambda: c.Lambda, Backend: c.Backend})
					want := blsupdate.Total(blsupdate.Model(v.Method, blsupdate.ActionAdd, opt, shape)) + blsupdate.Total(blsupdate.Model(v.Method, blsupdate.ActionWeights, opt, shape))
					got := p.Methods[j]
					if got.Series != v.String() || got.Method != v.Method.String() || !(math.Abs(got.Flops-want) <= 1e-12*want) || !(got.Seconds > 0) {
						t.Errorf("q = %d: %+v; want %v with %v flops", p.Q, got, v, want)
					}
				}
				planned, err := ParseVariant(p.Planner)
				if got := p.Methods[len(c.Variants)]; err != nil || got.Series != PlannerSeries || got.Method != planned.Method.String() || !(got.Seconds > 0 && got.Flops > 0) {
					t.Errorf("q = %d: planner %s: %+v", p.Q, p.Planner, got)
				}
				for _, from := range []struct {
					method blsupdate.Method
					got    CrossoverTiming
				}{{blsupdate.Improved, p.RetrainPseudoinverse}, {blsupdate.Gram, p.RetrainWeights}} {
					shape := blsupdate.Shape{L: p.L + p.Q, K: p.K, C: p.C}
					opt := blsupdate.Options{Lambda: c.Lambda, Backend: c.Backend}
					want := blsupdate.Total(blsupdate.Model(from.method, blsupdate.ActionStart, opt, shape)) + blsupdate.Total(blsupdate.Model(from.method, blsupdate.ActionWeights, opt, shape))
					if from.got.Method != from.method.String() || from.got.Form != "" || from.got.Series != "" || !(math.Abs(from.got.Flops-want) <= 1e-12*want) || !(from.got.Seconds > 0) {
						t.Errorf("q = %d: %+v; want %v flops", p.Q, from.got, want)
					}
				}
			}
		})
	}
}

// TestCrossoverRestores looks at the models between two updates: each is of L samples or to be built
// again.
func TestCrossoverRestores(t *testing.T) {
	c := smallCrossover(t, "pure")
	run := &crossoverRun{Crossover: *c, models: map[Variant]blsupdate.Updater{}}
	r := rand.New(rand.NewPCG(1, 2))
	run.a, run.y = normal(r, 190, c.K), normal(r, 190, c.C)
	kept, built := 0, 0
	for range 2 {
		for _, q := range c.Q {
			for _, v := range c.Variants {
				_, err := run.update(v, q)
				testutil.NoError(t, err)
				switch m := run.models[v]; {
				case (m != nil) != run.removes(v, q):
					t.Errorf("%v, q = %d: kept %v", v, q, m != nil)
				case m == nil:
					built++
				default:
					kept++
					if m.Samples() != c.L {
						t.Errorf("%v, q = %d: %d samples are left; want %d", v, q, m.Samples(), c.L)
					}
				}
			}
		}
	}
	if kept == 0 || built == 0 {
		t.Errorf("%d kept, %d to be built", kept, built)
	}
}

func TestCrossoverStops(t *testing.T) {
	c := smallCrossover(t, "pure")
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	if err := c.Run(ctx, func(CrossoverPoint) error { calls++; cancel(); return nil }, nil); !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	stop := errors.New("stop")
	if err := c.Run(context.Background(), func(CrossoverPoint) error { return stop }, nil); !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
}

func TestCrossoverValidate(t *testing.T) {
	for name, change := range map[string]func(*Crossover){
		"K = 0": func(c *Crossover) { c.K = 0 }, "C = 0": func(c *Crossover) { c.C = 0 }, "L < K": func(c *Crossover) { c.L = 11 },
		"no q": func(c *Crossover) { c.Q = nil }, "q = 0": func(c *Crossover) { c.Q[1] = 0 }, "q twice": func(c *Crossover) { c.Q[1] = 1 },
		"variant twice": func(c *Crossover) { c.Variants[1] = c.Variants[0] }, "lambda -1": func(c *Crossover) { c.Lambda = -1 },
		"lambda NaN": func(c *Crossover) { c.Lambda = math.NaN() }, "rounds -1": func(c *Crossover) { c.Rounds = -1 },
	} {
		c := smallCrossover(t, "pure")
		change(c)
		if c.Run(context.Background(), func(CrossoverPoint) error { t.Error("ran"); return nil }, nil) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestEnoughRounds goes through the rule.
func TestEnoughRounds(t *testing.T) {
	for _, tc := range []struct {
		want, rounds int
		seconds      float64
		enough       bool
	}{
		{0, 0, 0, false}, {0, 1, 11.9, false}, {0, 1, 12, true}, {0, 2, 11, false}, {0, 3, 2.9, false}, {0, 3, 3, true}, {0, 8, 1, false}, {0, 9, 1, true},
		{2, 1, 100, false}, {2, 2, 0, true}, {20, 19, 1, false}, {20, 20, 1, true},
	} {
		if got := (&Crossover{Rounds: tc.want}).enough(tc.rounds, tc.seconds); got != tc.enough {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// TestCrossings has points that are made up: times that grow like q and like q², against constant ones,
// so that the interpolation is exact.
func TestCrossings(t *testing.T) {
	var points []CrossoverPoint
	for _, q := range []int{1000, 1, 100, 10} { // in any order
		v := float64(q)
		points = append(points, CrossoverPoint{
			Q: q,
			Methods: []CrossoverTiming{
				{Series: "linear", Flops: v, Seconds: v},
				{Series: "square", Flops: v * v, Seconds: v * v},
				{Series: "cheap", Flops: 1e-3, Seconds: 1},
				{Series: PlannerSeries, Flops: 1e9, Seconds: 1e9},
			},
			RetrainPseudoinverse: CrossoverTiming{Flops: 30, Seconds: 300}, RetrainWeights: CrossoverTiming{Flops: 20, Seconds: 1},
		})
	}
	points[0].Methods = append(points[0].Methods, CrossoverTiming{Series: "rare"})
	points[1].Methods = append([]CrossoverTiming{{Series: "rare"}}, points[1].Methods...)
	got := Crossings(points)
	inf := math.Inf(1)
	want := []Crossing{
		{"linear", AgainstPseudoinverse, 30, 300}, {"linear", AgainstWeights, 20, 0},
		{"square", AgainstPseudoinverse, math.Sqrt(30), math.Sqrt(300)}, {"square", AgainstWeights, math.Sqrt(20), 0},
		{"cheap", AgainstPseudoinverse, inf, inf}, {"cheap", AgainstWeights, inf, 0},
		{PlannerSeries, AgainstPseudoinverse, 0, 0}, {PlannerSeries, AgainstWeights, 0, 0},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*b }
	for i, w := range want {
		if g := got[i]; g.Series != w.Series || g.Against != w.Against || !near(g.Flops, w.Flops) || !near(g.Seconds, w.Seconds) {
			t.Errorf("%+v; want %+v", g, w)
		}
	}
	if Crossings(nil) != nil {
		t.Error("crossings of nothing")
	}
	// A ratio that falls below 1 again crosses at its last rise; at a value of 1 it has crossed.
	for _, tc := range []struct {
		ratio []float64
		want  float64
	}{
		{[]float64{2, 0.5, 2}, 20}, {[]float64{0.5, 1, 2}, 10}, {[]float64{0.5, 2, 0.9}, inf}, {[]float64{1, 1, 1}, 0}, {[]float64{0.1, 0.1, 10}, 20},
	} {
		if got := crossing([]float64{1, 10, 40}, tc.ratio); !near(got, tc.want) {
			t.Errorf("%v: %v; want %v", tc.ratio, got, tc.want)
		}
	}
}

// TestCrossoverKnown goes on after each point, and measures again what is of other settings.
func TestCrossoverKnown(t *testing.T) {
	c := smallCrossover(t, "pure")
	c.Rounds = 1
	run := func(done []CrossoverPoint) (points []CrossoverPoint) {
		t.Helper()
		c.Done = done
		testutil.NoError(t, c.Run(context.Background(), func(p CrossoverPoint) error { points = append(points, p); return nil }, nil))
		return points
	}
	all := run(nil)
	for n := range len(all) + 1 {
		known := slices.Clone(all[:n])
		slices.Reverse(known)
		rest := run(known)
		if got := c.Known(); len(got) != n || len(rest) != len(all)-n {
			t.Fatalf("after %d points: %d are known, %d measured", n, len(got), len(rest))
		}
		for i, p := range slices.Concat(c.Known(), rest) {
			if p.Q != c.Q[i] || p.Seed != 7 {
				t.Errorf("after %d points, point %d: %+v", n, i, p)
			}
		}
	}
	for i, change := range []func(*CrossoverPoint){
		func(p *CrossoverPoint) { p.Backend = "x" }, func(p *CrossoverPoint) { p.L++ }, func(p *CrossoverPoint) { p.K++ }, func(p *CrossoverPoint) { p.C++ },
		func(p *CrossoverPoint) { p.Q = 3 }, func(p *CrossoverPoint) { p.Lambda = 0 }, func(p *CrossoverPoint) { p.Seed = 0 }, func(p *CrossoverPoint) { p.Rounds = 2 },
		func(p *CrossoverPoint) { p.Methods = p.Methods[1:] },
	} {
		other := all[0]
		change(&other)
		c.Done = []CrossoverPoint{other}
		if known := c.Known(); known != nil {
			t.Errorf("change %d is taken for the same: %+v", i, known)
		}
	}
	c.Rounds, c.Done = 0, all // whatever seemed useful
	if len(c.Known()) != len(all) {
		t.Error("points of so many rounds are not known to an experiment of any number")
	}
}

// TestCrossoverDefaults has no backend and no rates: the planner goes by flops.
func TestCrossoverDefaults(t *testing.T) {
	c := smallCrossover(t, "pure")
	c.Backend, c.Rates, c.Rounds, c.Q = nil, nil, 1, []int{4}
	err := c.Run(context.Background(), func(p CrossoverPoint) error {
		if p.Backend != blskernel.Default().Name() || p.Planner == "" || p.RetrainPseudoinverse.By != "cholesky" || p.RetrainWeights.By != "" {
			t.Errorf("%+v", p)
		}
		return nil
	}, nil)
	if err != nil || c.Backend != nil || c.Rates != nil {
		t.Errorf("%v, %+v", err, c)
	}
}
