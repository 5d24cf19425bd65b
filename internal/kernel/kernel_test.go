package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
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

// operands are packed panels and a tile, each inside a longer slice. The other elements are NaN
// around the panels, so that reading one spoils the result, and numbers around the tile, so that
// adding to one is seen.
type operands struct {
	kc, ldc       int
	as, bs, cs    []float64 // with their guards
	a, b, c, want []float64
}

const guard = 16

func newOperands(rnd *rand.Rand, k Kernel, kc, ldc int) *operands {
	guarded := func(n int, canary float64) (all, inner []float64) {
		all = make([]float64, n+2*guard)
		for i := range all {
			all[i] = canary
		}
		return all, all[guard : guard+n]
	}
	o := &operands{kc: kc, ldc: ldc}
	o.as, o.a = guarded(k.MR*kc, math.NaN())
	o.bs, o.b = guarded(k.NR*kc, math.NaN())
	o.cs, o.c = guarded((k.MR-1)*ldc+k.NR, 12345.678)
	// Integers below 2^10, of which even 2^32 products add up exactly, in any order, fused or not.
	for i := range o.a {
		o.a[i] = float64(rnd.IntN(2048) - 1024)
	}
	for i := range o.b {
		o.b[i] = float64(rnd.IntN(2048) - 1024)
	}
	for i := range k.MR {
		for j := range k.NR {
			o.c[i*ldc+j] = float64(rnd.IntN(2048) - 1024)
		}
	}
	o.want = slices.Clone(o.cs)
	for i := range k.MR {
		for j := range k.NR {
			for p := range kc {
				o.want[guard+i*ldc+j] += o.a[p*k.MR+i] * o.b[p*k.NR+j]
			}
		}
	}
	return o
}

// identical reports whether x and y agree bit for bit, NaN with NaN.
func identical(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func TestGemmExact(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for _, kc := range []int{1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 255, 256, 257} {
			for _, ldc := range []int{k.NR, k.NR + 1, 3*k.NR + 5} {
				o := newOperands(rnd, k, kc, ldc)
				as, bs := slices.Clone(o.as), slices.Clone(o.bs)
				k.Gemm(kc, &o.a[0], &o.b[0], &o.c[0], ldc)
				if !identical(o.cs, o.want) {
					t.Errorf("kc=%d ldc=%d: C is wrong, or something beside the tile was read or written", kc, ldc)
				}
				if !identical(o.as, as) || !identical(o.bs, bs) {
					t.Errorf("kc=%d ldc=%d: an operand was changed", kc, ldc)
				}
			}
		}
	})
}

// A zero multiplier does not hide a NaN or an infinity of the other operand, whichever it is, and
// these spoil their own row or column of C only.
func TestGemmZeroTimesNaN(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		const kc = 7
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for p := range kc {
				a, b, c := make([]float64, k.MR*kc), make([]float64, k.NR*kc), make([]float64, k.MR*k.NR)
				row, col := p%k.MR, p%k.NR
				a[p*k.MR+row] = bad
				k.Gemm(kc, &a[0], &b[0], &c[0], k.NR)
				for i, v := range c {
					if math.IsNaN(v) != (i/k.NR == row) {
						t.Errorf("A[%d,%d] = %v, B = 0: C[%d,%d] = %v", row, p, bad, i/k.NR, i%k.NR, v)
					}
				}
				clear(a)
				clear(c)
				b[p*k.NR+col] = bad
				k.Gemm(kc, &a[0], &b[0], &c[0], k.NR)
				for i, v := range c {
					if math.IsNaN(v) != (i%k.NR == col) {
						t.Errorf("B[%d,%d] = %v, A = 0: C[%d,%d] = %v", p, col, bad, i/k.NR, i%k.NR, v)
					}
				}
			}
		}
	})
}

// The contract's rounding: adding the product to C in place and adding a product computed in a zeroed
// buffer give the same bits.
func TestGemmAddsOnce(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(3, 4))
		for _, kc := range []int{1, 3, 4, 50, 257} {
			a, b := make([]float64, k.MR*kc), make([]float64, k.NR*kc)
			c, buf := make([]float64, k.MR*k.NR), make([]float64, k.MR*k.NR)
			for _, x := range [][]float64{a, b, c} {
				for i := range x {
					x[i] = rnd.NormFloat64()
				}
			}
			want := slices.Clone(c)
			k.Gemm(kc, &a[0], &b[0], &buf[0], k.NR)
			for i := range want {
				want[i] += buf[i]
			}
			k.Gemm(kc, &a[0], &b[0], &c[0], k.NR)
			if !identical(c, want) {
				t.Errorf("kc=%d: C + (0 + A·B) differs from C += A·B", kc)
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
		if k.MR < 1 || k.NR < 1 || k.Gemm == nil {
			t.Errorf("kernel %q: incomplete entry", k.Name)
		}
	}
	if got := Select().Name; got != Names()[0] {
		t.Errorf("Select took %q, the first usable kernel is %q", got, Names()[0])
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

func TestCaches(t *testing.T) {
	c := Caches()
	if c.L1D <= 0 || c.L2 <= 0 || c.L3 <= 0 {
		t.Errorf("Caches() = %+v, want sizes above zero", c)
	}
	for _, test := range []struct{ size, want int }{{-1, 5}, {0, 5}, {1 << 15, 1 << 15}} {
		if got := known(test.size, 5); got != test.want {
			t.Errorf("known(%d, 5) = %d, want %d", test.size, got, test.want)
		}
	}
}

func BenchmarkGemm(b *testing.B) {
	for _, k := range table {
		for _, kc := range []int{32, 256} {
			b.Run(fmt.Sprintf("kernel=%s/kc=%d", k.Name, kc), func(b *testing.B) {
				if !k.Available() {
					b.Skipf("this CPU cannot run kernel %q", k.Name)
				}
				x, y, c := make([]float64, k.MR*kc), make([]float64, k.NR*kc), make([]float64, k.MR*k.NR)
				for b.Loop() {
					k.Gemm(kc, unsafe.SliceData(x), unsafe.SliceData(y), unsafe.SliceData(c), k.NR)
				}
				b.ReportMetric(2*float64(k.MR*k.NR*kc)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
