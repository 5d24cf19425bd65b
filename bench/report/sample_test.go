package report

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// A sampleLine is a line of a file of results.
type sampleLine struct {
	kind  string
	value any
}

// readSample writes lines and reads them as a file.
func readSample(t testing.TB, name string, lines []sampleLine) *result.File {
	t.Helper()
	var b bytes.Buffer
	for _, l := range lines {
		testutil.NoError(t, result.Write(&b, l.kind, l.value))
	}
	f, err := result.Read(name, &b)
	testutil.NoError(t, err)
	return f
}

func sampleMachine(command string, backends ...string) sampleLine {
	threads := []int{2}
	if len(backends) > 1 {
		threads = []int{1, 2}
	}
	return sampleLine{"machine", result.Machine{
		Command: command, Date: time.Date(2025, 11, 21, 9, 30, 0, 0, time.UTC), Version: "48e7019c0ffe+", CPU: "AMD EPYC 9R14 & <friends>",
		GOMAXPROCS: 2, Go: "go1.26.0 linux/amd64", Backends: backends, Kernel: "avx512", OpenBLAS: "0.3.21", Threads: threads,
	}}
}

// sampleTable makes a table with rows of the times that the flops would have, with some noise, by the
// number of the table. steps says how many steps each seed has.
func sampleTable(number int, data string, scale float64, methods []string, steps map[uint64]int, seeds ...uint64) []sampleLine {
	paper, _ := bench.LookupPaperTable(number)
	paper = paper.Scaled(scale)
	head := bench.TableHead{
		PaperTable: paper, Title: paper.TitleOn(paper.Data), Scale: scale, Targets: 10, Lambda: 0x1p-30,
		Methods: methods, Planner: "gram", Repeat: "gram", Seeds: seeds,
	}
	head.Data = data
	lines := []sampleLine{{"table", head}}
	for _, seed := range seeds {
		totals := make([]float64, len(methods))
		for n := range steps[seed] {
			l, k, q := float64(paper.Initial+n*paper.Batch), float64(paper.Nodes), float64(paper.Batch)
			row := bench.TableRow{Table: number, Seed: seed, Step: n, Samples: int(l), FeatureSeconds: 0.31 + 0.01*float64(n)}
			for i, m := range methods {
				flops := sampleFlops(m, l, k, q, n == 0)
				noise := 1 + 0.03*math.Sin(float64(17*i+5*n+3*number+int(seed)))
				c := bench.TableCell{
					Method: m, Seconds: row.FeatureSeconds + flops/80e9*noise, FlopsModel: flops, FlopsCounted: flops,
				}
				totals[i] += c.Seconds
				c.TotalSeconds = totals[i]
				if data != "random" {
					accuracy := 98.7 - 1.1*math.Exp(-0.7*float64(n)) + 0.05*math.Sin(float64(7*seed)+float64(n))
					c.Accuracy = &accuracy
				}
				row.Cells = append(row.Cells, c)
			}
			if n > 0 {
				row.Retraining = &bench.Retraining{
					PseudoinverseBy: "cholesky", PseudoinverseSeconds: (3*k*k*l + k*k*k/3) / 82e9, PseudoinverseFlops: 3*k*k*l + k*k*k/3,
					WeightsSeconds: (k*k*l + k*k*k/3) / 85e9, WeightsFlops: k*k*l + k*k*k/3,
				}
			}
			lines = append(lines, sampleLine{"row", row})
		}
	}
	return lines
}

// sampleFlops is roughly what a step takes.
func sampleFlops(method string, l, k, q float64, start bool) float64 {
	switch method {
	case "gram":
		return q*k*k + k*k*k/3
	case "qr":
		return 2 * q * k * k
	}
	if start {
		return 3*k*k*l + k*k*k/3
	}
	l -= q
	if method == "original" {
		return 6*q*k*l + q*q*l + q*q*q + 2*q*q*k
	}
	if q > k && method != "improved/small" {
		return 6*q*k*l + 4*k*k*q + 2*k*k*k
	}
	return 6*q*k*l + 3*q*q*k + q*q*q
}

func steps(n int, seeds ...uint64) map[uint64]int {
	m := map[uint64]int{}
	for _, s := range seeds {
		m[s] = n
	}
	return m
}

// sampleFiles has every kind of result: tables at full size and one smaller, one seed and ten, data and
// none, a run that was interrupted, one on another backend; cells with opponents and without.
func sampleFiles(t testing.TB) []*result.File {
	all := []string{"original", "improved", "gram", "qr"}
	tables := []sampleLine{sampleMachine("blskernel paper -table 2 -data mnist", "openblas")}
	tables = append(tables, sampleTable(2, "mnist", 1, all, steps(6, 1), 1)...)
	tables = append(tables, sampleTable(3, "mnist", 1, all, steps(4, 1, 2, 3), 1, 2, 3)...)
	tables = append(tables, sampleTable(4, "mnist", 1, all, map[uint64]int{1: 4}, 1)...) // interrupted
	tables = append(tables, sampleTable(7, "random", 1, []string{"original", "improved/paper", "improved/small", "gram"}, steps(5, 1), 1)...)
	tables = append(tables, sampleTable(9, "random", 0.1, all, steps(5, 1), 1)...)
	seeds := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	many := append([]sampleLine{sampleMachine("blskernel paper -table 2 -data mnist -runs 10 -methods gram", "openblas")},
		sampleTable(2, "mnist", 1, []string{"gram"}, steps(6, seeds...), seeds...)...)
	pure := append([]sampleLine{sampleMachine("blskernel paper -table 2 -data mnist -backend pure", "pure")},
		sampleTable(2, "mnist", 1, all, steps(6, 1), 1)...)

	cells := []sampleLine{sampleMachine("blskernel bench --op dgemm,dsyrk,ldlt-inverse", "pure", "openblas")}
	for _, op := range [][2]string{{"dgemm", "NN"}, {"dsyrk", "UN"}, {"ldlt-inverse", ""}} {
		for _, n := range []int{8, 32, 64, 128, 256, 512, 1000, 2000, 4000} {
			for _, threads := range []int{1, 2} {
				cells = append(cells, sampleLine{"cell", sampleCell(op[0], op[1], n, threads)})
			}
		}
	}

	costs := []sampleLine{sampleMachine("blskernel flops --validate", "pure", "openblas")}
	for b, backend := range []string{"pure", "openblas"} {
		for i, m := range []string{"gram", "qr", "ridge-inverse", "inverse-cholesky", "improved", "original"} {
			for j, k := range []int{250, 500, 1000, 2000} {
				flops := float64(k*k) * float64(100*(j+1)) * float64(i+1)
				total := bench.CostStep{Step: "total", Model: flops, Counted: flops, PredictedSeconds: flops / 61e9, MeasuredSeconds: flops / 60e9 * (1 + 0.06*math.Sin(float64(9*i+4*j+b)))}
				c := bench.Cost{Backend: backend, Method: m, Form: "small", L: 4 * k, K: k, Q: 100 * (j + 1), C: 10, Total: total}
				costs = append(costs, sampleLine{"cost", c})
			}
		}
	}

	flops := []sampleLine{sampleMachine("blskernel paper --table 1", "pure"), {"flops", sampleFlopsCase(4000, 500, 1000)}, {"flops", sampleFlopsCase(4000, 500, 300)}}

	var files []*result.File
	for i, lines := range [][]sampleLine{tables, many, pure, cells, costs, flops} {
		files = append(files, readSample(t, fmt.Sprintf("sample%d.jsonl", i+1), lines))
	}
	return files
}

func sampleCell(op, args string, n, threads int) speed.Result {
	peak := 58.7 * float64(threads)
	r := speed.Result{Op: op, Args: args, N: n, Threads: threads, Flops: 2 * math.Pow(float64(n), 3), Rounds: 7, Peak: peak}
	share := 0.97 * float64(n) / (float64(n) + 30*float64(threads))
	for i, b := range []string{"pure", "openblas"} {
		rate := peak * share * (1 - 0.07*float64(i))
		timing := speed.Timing{Backend: b, Seconds: r.Flops / rate / 1e9, GFLOPS: rate, OfPeak: rate / peak}
		if i > 0 {
			timing.Ratio = 1 / (1 - 0.07*float64(i))
		}
		r.Backends = append(r.Backends, timing)
	}
	if op == "ldlt-inverse" {
		r.Backends = append(r.Backends, speed.Timing{Backend: "openblas/dsptrf+dsptri", Seconds: r.Flops / 12e9, GFLOPS: 12.3, OfPeak: 12.3 / peak, Ratio: peak * share / 12.3})
	}
	return r
}

// sampleFlopsCase has counts below the formulas where a symmetric product or inverse is done.
func sampleFlopsCase(l, k, q int) bench.FlopsCase {
	c := bench.FlopsCase{Backend: "pure", Seed: 1, L: l, K: k, Q: q}
	fl, fk, fq := float64(l), float64(k), float64(q)
	step := func(name, original string, of float64, improved string, paper, counted float64) {
		s := bench.FlopsStep{Step: name, Original: bench.FlopsCount{Formula: original, Paper: of, Counted: of}, Improved: bench.FlopsCount{Formula: improved, Paper: paper, Counted: counted}}
		c.Steps = append(c.Steps, s)
		c.Original.Paper, c.Original.Counted = c.Original.Paper+of, c.Original.Counted+of
		c.Improved.Paper, c.Improved.Counted = c.Improved.Paper+paper, c.Improved.Counted+counted
	}
	step("Dbar = A+ D", "2qkl", 2*fq*fk*fl, "2qkl", 2*fq*fk*fl, 2*fq*fk*fl)
	if q > k {
		step("inverse", "q³", fq*fq*fq, "2k³", 2*fk*fk*fk, 2*fk*fk*fk)
	} else {
		step("inner product", "q²l", fq*fq*fl, "q²k", fq*fq*fk, fq*fq*fk/2)
	}
	return c
}
