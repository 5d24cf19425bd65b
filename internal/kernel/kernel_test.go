package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// available runs f as a subtest for each kernel of the table; one that this machine cannot run is a
// visible skip.
func available(t *testing.T, f func(t *testing.T, k Kernel)) {
	for _, k := range table {
		t.Run("kernel="+k.Name, func(t *testing.T) {
			if !k.Available() {
				t.Skipf("this CPU cannot run kernel %q", k.Name)
			}
			f(t, k)
		})
	}
}

// An operand is a matrix of which element (i,j) is at[off(i,j)], inside a longer slice. All other
// elements of the slice are canaries: NaN in what is only read, so that reading one spoils the result,
// and a number in C, so that adding to one is seen.
type operand struct {
	all []float64
	off func(i, j int) int
}

const margin = 32

func newOperand(rows, cols int, canary float64, off func(i, j int) int, value func() float64) operand {
	o := operand{off: func(i, j int) int { return margin + off(i, j) }}
	o.all = make([]float64, off(rows-1, cols-1)+1+2*margin)
	for i := range o.all {
		o.all[i] = canary
	}
	for i := range rows {
		for j := range cols {
			o.all[o.off(i, j)] = value()
		}
	}
	return o
}

func (o operand) first() *float64 { return &o.all[o.off(0, 0)] }

func (o operand) at(i, j int) float64 { return o.all[o.off(i, j)] }

// A strip is a call of Gemm with its operands.
type strip struct {
	m, n, k                       int
	rowA, colA, rowB, panelB, ldc int
	form                          Form
	a, b, c                       operand
}

func newStrip(kern Kernel, m, n, k, rowA, colA, rowB, panelB, ldc int, value func() float64) strip {
	s := strip{m: m, n: n, k: k, rowA: rowA, colA: colA, rowB: rowB, panelB: panelB, ldc: ldc}
	s.a = newOperand(m, k, math.NaN(), func(i, p int) int { return i*rowA + p*colA }, value)
	s.b = newOperand(k, n, math.NaN(), func(p, j int) int { return j/kern.NR*panelB + p*rowB + j%kern.NR }, value)
	s.c = newOperand(m, n, 12345.678, func(i, j int) int { return i*ldc + j }, value)
	return s
}

func (s *strip) run(kern Kernel, alpha float64, store Store) {
	kern.Gemm(s.m, s.n, s.k, alpha, s.a.first(), s.rowA, s.colA, s.form, s.b.first(), s.rowB, s.panelB, store, s.c.first(), s.ldc)
}

// packC lays C out as packed storage does, each row one element closer to the one before.
func (s *strip) packC(value func() float64) {
	s.ldc += s.m
	s.c = newOperand(s.m, s.n, 12345.678, func(i, j int) int { return i*s.ldc - i*(i-1)/2 + j }, value)
}

// packA lays A out as packed storage does, each row, or each column, one element closer to the one
// before.
func (s *strip) packA(form Form, value func() float64) {
	s.form = form
	if form == PackedRows {
		s.rowA, s.colA = s.k+s.m, 1
		s.a = newOperand(s.m, s.k, math.NaN(), func(i, p int) int { return i*s.rowA - i*(i-1)/2 + p }, value)
	} else {
		s.rowA, s.colA = 1, s.k+s.m
		s.a = newOperand(s.m, s.k, math.NaN(), func(i, p int) int { return i + p*s.colA - p*(p-1)/2 }, value)
	}
}

// strips calls f with strips of every height, of widths around those of vectors and tiles, of lengths
// around those that the loops unroll, and with operands as they are, transposed and packed.
func strips(kern Kernel, value func() float64, f func(s strip)) {
	for m := 1; m <= kern.MR; m++ {
		for n := 1; n <= 2*kern.NR+9; n++ {
			for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 9, 17} {
				switch (m + n + k) % 5 {
				case 3, 4:
					s := newStrip(kern, m, n, k, k+3, 1, n+5, kern.NR, n, value)
					s.packA(Form((m+n+k)%5-2), value)
					f(s)
				case 0:
					f(newStrip(kern, m, n, k, k+3, 1, n+5, kern.NR, n, value))
				case 1:
					f(newStrip(kern, m, n, k, 1, m+7, n, kern.NR, n+11, value))
				default:
					f(newStrip(kern, m, n, k, 1, kern.MR, kern.NR, kern.NR*k+8, n+1, value))
				}
			}
		}
	}
}

// identical reports whether x and y agree bit for bit, NaN with NaN.
func identical(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Integers below 2^10, of which even 2^32 products add up exactly, in any order, fused or not.
func TestGemmExact(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		rnd := rand.New(rand.NewPCG(1, 2))
		value := func() float64 { return float64(rnd.IntN(2048) - 1024) }
		strips(kern, value, func(s strip) {
			for _, store := range []Store{Overwrite, Add, AddPacked} {
				if store == AddPacked {
					s.packC(value)
				}
				for _, alpha := range []float64{1, -1, 0.5} {
					as, bs, want := slices.Clone(s.a.all), slices.Clone(s.b.all), slices.Clone(s.c.all)
					for i := range s.m {
						for j := range s.n {
							var sum float64
							for p := range s.k {
								sum += s.a.at(i, p) * s.b.at(p, j)
							}
							at := s.c.off(i, j)
							if store == Overwrite {
								want[at] = alpha * sum
								s.c.all[at] = math.NaN() // not to be read
							} else {
								want[at] += alpha * sum
							}
						}
					}
					s.run(kern, alpha, store)
					if !identical(s.c.all, want) {
						t.Fatalf("m=%d n=%d k=%d alpha=%v store=%v strides %d,%d %d,%d %d: C is wrong, or something beside it was read or written",
							s.m, s.n, s.k, alpha, store, s.rowA, s.colA, s.rowB, s.panelB, s.ldc)
					}
					if !identical(s.a.all, as) || !identical(s.b.all, bs) {
						t.Fatalf("m=%d n=%d k=%d: an operand was changed", s.m, s.n, s.k)
					}
				}
			}
		})
	})
}

// A zero multiplier does not hide a NaN or an infinity of the other operand, whichever it is, and
// these spoil their own row or column of C only.
func TestGemmZeroTimesNaN(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		const k = 7
		n := kern.NR + 3
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for p := range k {
				s := newStrip(kern, kern.MR, n, k, k, 1, n, kern.NR, n, func() float64 { return 0 })
				row, col := p%kern.MR, (5*p)%n
				s.a.all[s.a.off(row, p)] = bad
				s.run(kern, 1, Add)
				for i := range s.m {
					for j := range n {
						if v := s.c.at(i, j); math.IsNaN(v) != (i == row) {
							t.Errorf("A[%d,%d] = %v, B = 0: C[%d,%d] = %v", row, p, bad, i, j, v)
						}
					}
				}
				s = newStrip(kern, kern.MR, n, k, k, 1, n, kern.NR, n, func() float64 { return 0 })
				s.b.all[s.b.off(p, col)] = bad
				s.run(kern, 1, Add)
				for i := range s.m {
					for j := range n {
						if v := s.c.at(i, j); math.IsNaN(v) != (j == col) {
							t.Errorf("B[%d,%d] = %v, A = 0: C[%d,%d] = %v", p, col, bad, i, j, v)
						}
					}
				}
			}
		}
	})
}

// The contract's rounding: an element of a strip has the same bits as the same element computed as a
// strip of one row and one column.
func TestGemmPlaceless(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		rnd := rand.New(rand.NewPCG(3, 4))
		for _, k := range []int{1, 3, 4, 50, 257} {
			for _, n := range []int{1, kern.NR - 1, kern.NR, 2*kern.NR + 5} {
				s := newStrip(kern, kern.MR, n, k, k, 1, n, kern.NR, n, rnd.NormFloat64)
				before := slices.Clone(s.c.all)
				s.run(kern, 1.1, Add)
				for i := range s.m {
					for j := range n {
						one := before[s.c.off(i, j)]
						kern.Gemm(1, 1, k, 1.1, &s.a.all[s.a.off(i, 0)], s.rowA, s.colA, s.form, &s.b.all[s.b.off(0, j)], s.rowB, s.panelB, Add, &one, 1)
						if got := s.c.at(i, j); math.Float64bits(got) != math.Float64bits(one) {
							t.Fatalf("k=%d n=%d: C[%d,%d] = %v in the strip, %v alone", k, n, i, j, got, one)
						}
					}
				}
			}
		}
	})
}

func TestTable(t *testing.T) {
	last := table[len(table)-1]
	if last.Name != "generic" || !last.Available() {
		t.Errorf("the table ends with %q, want generic, always available", last.Name)
	}
	for _, k := range table {
		entry := reflect.ValueOf(k)
		for i := range entry.NumField() {
			if entry.Field(i).IsZero() {
				t.Errorf("kernel %q has no %s", k.Name, entry.Type().Field(i).Name)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	if k, err := choose(""); err != nil || k.Name != Names()[0] {
		t.Errorf("without a wish: %q, %v, the first usable kernel is %q", k.Name, err, Names()[0])
	}
	for _, name := range Names() {
		if k, err := choose(name); err != nil || k.Name != name {
			t.Errorf("choose(%q) = %q, %v", name, k.Name, err)
		}
	}
	defer func(saved []Kernel) { table = saved }(table)
	table = append([]Kernel{{Name: "future", Available: func() bool { return false }}}, table...)
	usable := strings.Join(Names(), ", ")
	for name, why := range map[string]string{
		"future": `this CPU cannot run kernel "future"`,
		"AVX2":   `this build has no kernel "AVX2"`,
	} {
		want := EnvKernel + "=" + name + ": kernel: " + why + " (usable here: " + usable + ")"
		if k, err := choose(name); err == nil || err.Error() != want || k.Name != "" {
			t.Errorf("choose(%q) = %q, %v, want the error %s", name, k.Name, err, want)
		}
	}
	if k, err := choose(""); err != nil || k.Name == "future" {
		t.Errorf("chose %q, %v, of which this machine cannot run the first", k.Name, err)
	}
}

func TestLookup(t *testing.T) {
	for _, name := range Names() {
		if k, err := Lookup(name); err != nil || k.Name != name {
			t.Errorf("Lookup(%q) = %q, %v", name, k.Name, err)
		}
	}
	defer func(saved []Kernel) { table = saved }(table)
	table = append([]Kernel{{Name: "future", Available: func() bool { return false }}}, table...)
	for _, test := range []struct{ name, want string }{
		{"future", `this CPU cannot run kernel "future"`},
		{"none", `this build has no kernel "none"`},
		{"", `this build has no kernel ""`},
	} {
		_, err := Lookup(test.name)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "generic") {
			t.Errorf("Lookup(%q): error %v, want one with %q and the usable names", test.name, err, test.want)
		}
	}
}

// BenchmarkGemm is the speed of the micro-kernel alone, its operands packed and in L1 or L2.
func BenchmarkGemm(b *testing.B) {
	for _, kern := range table {
		for _, tiles := range []int{1, 8} {
			for _, k := range []int{32, 256} {
				b.Run(fmt.Sprintf("kernel=%s/tiles=%d/k=%d", kern.Name, tiles, k), func(b *testing.B) {
					if !kern.Available() {
						b.Skipf("this CPU cannot run kernel %q", kern.Name)
					}
					n := tiles * kern.NR
					s := newStrip(kern, kern.MR, n, k, 1, kern.MR, kern.NR, kern.NR*k, n, rand.Float64)
					for b.Loop() {
						s.run(kern, 1, Add)
					}
					b.ReportMetric(2*float64(kern.MR*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

// BenchmarkPeak is what the speed of kernels is compared with.
func BenchmarkPeak(b *testing.B) {
	for _, kern := range table {
		b.Run("kernel="+kern.Name, func(b *testing.B) {
			if !kern.Available() {
				b.Skipf("this CPU cannot run kernel %q", kern.Name)
			}
			const n = 10000
			for b.Loop() {
				kern.Peak(n, 0.5, 1)
			}
			b.ReportMetric(2*float64(n*kern.PeakWidth)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
