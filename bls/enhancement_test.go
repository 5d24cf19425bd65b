package bls

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

func identityError(v *mat.Dense) float64 {
	r, p := v.Dims()
	var e float64
	for i := range r {
		for j := range r {
			s := 0.0
			if i == j {
				s = -1
			}
			for c := range p {
				s += v.At(i, c) * v.At(j, c)
			}
			e = math.Max(e, math.Abs(s))
		}
	}
	return e
}

// Two unit vectors that two passes of Gram-Schmidt made orthogonal have an inner product of some eps.
// Computing it adds at most p·eps: 10 p eps leaves room for the accumulation over the earlier rows. A
// matrix whose rows are nearly dependent still gets an orthonormal result, thanks to the second pass; a
// matrix with dependent rows is refused.
func TestOrthonormalizeRows(t *testing.T) {
	random := func(r, p int) *mat.Dense {
		u := mat.NewDense(r, p, nil)
		uniform(stream(uint64(r), forEnhancement, p), r, p, u.RawMatrix().Data, p)
		return u
	}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, dim := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {31, 31}, {32, 33}, {33, 64}, {65, 65}, {70, 90}, {101, 150}} {
			r, p := dim[0], dim[1]
			for _, d := range []float64{1, 1e-4, 1e-8, 1e-12} {
				u := random(r, p)
				for i := 1; i < r && d < 1; i++ {
					for j := range p {
						u.Set(i, j, u.At(0, j)+d*u.At(i, j))
					}
				}
				v := gonum.DenseCopyOf(u)
				if ok, err := orthonormalizeRows(t.Context(), bk, v); !ok || err != nil {
					t.Fatalf("%d×%d, %g: refused", r, p, d)
				}
				if e := identityError(v); !(e <= 10*float64(p)*eps) {
					t.Errorf("%d×%d, %g: |VVᵀ - I| = %g", r, p, d, e)
				}
				// V spans the space of u: u = (uVᵀ)V to the rounding of these products.
				if e := maxDiff(product(product(u, v.T()), v), u); !(e <= 20*float64(p)*eps) {
					t.Errorf("%d×%d, %g: the basis spans another space, by %g", r, p, d, e)
				}
			}
		}
		// Whether a row counts as dependent is relative to its own size, not to the others.
		v := random(40, 50)
		for j := range 50 {
			v.Set(0, j, 1e20*v.At(0, j))
		}
		if ok, err := orthonormalizeRows(t.Context(), bk, v); !ok || err != nil || !(identityError(v) <= 500*eps) {
			t.Errorf("a row is large beside the others: %v, %v, |VVᵀ - I| = %g", ok, err, identityError(v))
		}
		for _, last := range []int{0, 1, 31, 32, 40} {
			v := random(last+1, 50)
			for j := range 50 {
				v.Set(last, j, 3*v.At(0, j)-v.At(last/2, j))
				if last == 0 {
					v.Set(0, j, 0)
				}
			}
			if ok, err := orthonormalizeRows(t.Context(), bk, v); ok || err != nil {
				t.Errorf("row %d depends on the others and was accepted", last)
			}
		}
	})
}

// The columns of Wh are orthonormal, or its rows if these are fewer.
func TestDrawEnhancement(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, dim := range [][2]int{{1, 1}, {1, 2}, {30, 20}, {30, 30}, {30, 31}, {30, 60}, {100, 33}, {33, 100}} {
			n, n3 := dim[0], dim[1]
			wh, err := drawEnhancement(t.Context(), bk, n, n3, Orthonormal, 5)
			must(t, err)
			r, c := wh.Dims()
			if n >= n3 {
				wh = gonum.DenseCopyOf(wh.T())
			}
			if e := identityError(wh); r != n+1 || c != n3 || !(e <= 10*float64(n+n3)*eps) {
				t.Errorf("N = %d, n3 = %d: Wh is %d×%d, and not orthonormal by %g", n, n3, r, c, e)
			}
		}
	})
}

func TestStreamsAreDistinct(t *testing.T) {
	seen := map[float64]string{}
	for _, seed := range []uint64{0, 1, 2, 3, 1 << 40} {
		for _, p := range []purpose{forGroup, forEnhancement} {
			for index := range 100 {
				name := fmt.Sprintf("seed %d, purpose %d, index %d", seed, p, index)
				r := stream(seed, p, index)
				for range 4 {
					v := r.Float64()
					if other, ok := seen[v]; ok {
						t.Fatalf("%s and %s share the number %v", name, other, v)
					}
					seen[v] = name
				}
			}
		}
	}
}

// The mean of m numbers uniform on [-1,1) has the standard deviation sqrt(1/(3m)). The mean of their
// squares is about 1/3, with sqrt(4/(45m)). The bounds are five of each.
func TestUniform(t *testing.T) {
	const m = 100000
	u := make([]float64, m)
	uniform(stream(1, forGroup, 0), m/10, 10, u, 10)
	var s, ss float64
	for _, v := range u {
		if !(-1 <= v && v < 1) {
			t.Fatalf("%v is out of range", v)
		}
		s += v / m
		ss += v * v / m
	}
	if !(math.Abs(s) <= 5*math.Sqrt(1./(3*m))) || !(math.Abs(ss-1./3) <= 5*math.Sqrt(4./(45*m))) {
		t.Errorf("mean %v, mean square %v", s, ss)
	}
	// The numbers of a seed are a part of what a run can be repeated with.
	if got, want := u[:2], []float64{0.9488887986836434, 0.21552357278391465}; got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the numbers of seed 1 begin %v, want %v", got, want)
	}
}

// TestHostileShrink has the smallest and largest factors of enhancement nodes: the tanh is 0 or ±1.
func TestHostileShrink(t *testing.T) {
	x := samples(62, 30, 5, 5)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, s := range []Scaling{ScaleSamples, ScaleColumns, ScaleNone} {
			for _, shrink := range []float64{5e-324, 1e-300, 1e300, math.MaxFloat64} {
				opt := FeatureOptions{Scaling: s, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Shrink: shrink, Backend: bk}
				f, a, err := FitTransformFeatures(x, opt)
				var e *OptionError
				if errors.As(err, &e) && e.Option == "Shrink" && shrink == math.MaxFloat64 {
					continue
				}
				must(t, err)
				for i := range 30 {
					for _, v := range a.RawRowView(i)[f.FeatureNodes():] {
						if math.IsNaN(v) || shrink < 1 && math.Abs(v) > 1e-250 || math.Abs(v) > 1 {
							t.Fatalf("Shrink = %g: a node is %v", shrink, v)
						}
					}
				}
			}
		}
	})
}
