package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLevel2IsLevel1 checks the identities of the package comment, bit for bit.
func TestLevel2IsLevel1(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(11, 12))
		random := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = rnd.NormFloat64()
			}
			return x
		}
		for n := 1; n <= 70; n++ {
			for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 11, 15, 23} {
				lda, inc := n+rnd.IntN(3), 1+rnd.IntN(3)
				a, along, down := random(m*lda), random(n), random(m*inc)
				alpha, beta := rnd.NormFloat64(), []float64{0, 1, 0.3}[rnd.IntN(3)]

				got := random(m * inc)
				k.GemvN(m, n, 1, &a[0], lda, &along[0], 0, &got[0], inc)
				for i := range m {
					if want := k.Dot(n, &a[i*lda], &along[0]); got[i*inc] != want {
						t.Errorf("m=%d n=%d: GemvN of row %d is %v, Dot %v", m, n, i, got[i*inc], want)
					}
				}

				got = random(n)
				want := append([]float64(nil), got...)
				k.GemvT(m, n, alpha, &a[0], lda, &down[0], inc, beta, &got[0])
				k.Scal(n, beta, &want[0])
				for i := range m {
					k.Axpy(n, alpha*down[i*inc], &a[i*lda], &want[0])
				}
				if !identical(got, want) {
					t.Errorf("m=%d n=%d beta=%v: GemvT is not Scal and Axpy", m, n, beta)
				}

				want = append([]float64(nil), a...)
				k.Ger(m, n, alpha, &down[0], inc, &along[0], &a[0], lda)
				for i := range m {
					k.Axpy(n, alpha*down[i*inc], &along[0], &want[i*lda])
				}
				if !identical(a, want) {
					t.Errorf("m=%d n=%d: Ger is not Axpy", m, n)
				}

				for step := -1; step <= 1; step++ {
					first := lda + m // the distance of the first two rows, so that the last ones do not overlap
					rows := random(m * (first + m))
					u, y, v := random(m), random(n), random(m)
					y1, v1, at := slices.Clone(y), slices.Clone(v), 0
					k.Dotxaxpyf(m, n, alpha, &rows[0], first, step, &along[0], &u[0], &y[0], &v[0])
					for i := range m {
						k.Dotxaxpyf(1, n, alpha, &rows[at], 0, 0, &along[0], &u[i], &y1[0], &v1[i])
						at += first + i*step
					}
					if !identical(y, y1) || !identical(v, v1) {
						t.Errorf("m=%d n=%d step=%d: Dotxaxpyf is not that of its rows", m, n, step)
					}
					k.Axpy(n, alpha*u[0], &rows[0], &y1[0])
					k.Dotxaxpyf(1, n, alpha, &rows[0], 0, 0, &along[0], &u[0], &y[0], &v[0])
					if !identical(y, y1) {
						t.Errorf("n=%d: Dotxaxpyf of a row is not Axpy", n)
					}
				}
			}
		}
	})
}

// places gives a test n elements of memory in several places, by turns: with guards around them here,
// at the edges of pages that cannot be touched in guard_test.go.
type places func(n int) [][]float64

// level2Exact compares all loops with plain ones, on integers, whose sums are exact in any order, and
// operands in all the places.
func level2Exact(t *testing.T, k Kernel, place places) {
	fill := func(x []float64, first int) {
		for i := range x {
			x[i] = float64((first+7*i)%19 - 9)
		}
	}
	for n := 1; n <= 40; n++ {
		xs, ys := place(n), place(n)
		for p, x := range xs {
			y := ys[p]
			fill(x, 3)
			fill(y, 5)
			var want float64
			for i := range n {
				want += x[i] * y[i]
			}
			if got := k.Dot(n, &x[0], &y[0]); got != want {
				t.Errorf("n=%d: Dot is %v, want %v", n, got, want)
			}
			k.Axpy(n, 3, &x[0], &y[0])
			k.Scal(n, -2, &x[0])
			for i := range n {
				before := float64((3+7*i)%19 - 9)
				if x[i] != -2*before || y[i] != float64((5+7*i)%19-9)+3*before {
					t.Errorf("n=%d: element %d: Scal gives %v, Axpy %v", n, i, x[i], y[i])
				}
			}
		}
		for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15} {
			for _, lda := range []int{n, n + 3} {
				as, alongs, downs, moreAlong, moreDown := place((m-1)*lda+n), place(n), place(m), place(n), place(m)
				for p, a := range as {
					along, down := alongs[p], downs[p]
					for _, beta := range []float64{0, 1, 3} {
						fill(a, 1)
						fill(along, 2)
						fill(down, 4)
						wantN, wantT := make([]float64, m), make([]float64, n)
						for i := range m {
							wantN[i] = beta * down[i]
							for j := range n {
								wantN[i] += 2 * a[i*lda+j] * along[j]
								wantT[j] += 2 * a[i*lda+j] * down[i]
							}
						}
						for j := range n {
							wantT[j] += beta * along[j]
						}
						rest := append([]float64(nil), a...)
						if beta == 0 {
							for j := range along {
								along[j] = math.NaN()
							}
						}
						k.GemvT(m, n, 2, &a[0], lda, &down[0], 1, beta, &along[0])
						if !slices.Equal(along, wantT) {
							t.Errorf("m=%d n=%d lda=%d beta=%v: GemvT gives %v, want %v", m, n, lda, beta, along, wantT)
						}
						fill(along, 2)
						if beta == 0 {
							for i := range down {
								down[i] = math.NaN()
							}
						}
						k.GemvN(m, n, 2, &a[0], lda, &along[0], beta, &down[0], 1)
						if !slices.Equal(down, wantN) {
							t.Errorf("m=%d n=%d lda=%d beta=%v: GemvN gives %v, want %v", m, n, lda, beta, down, wantN)
						}
						if !slices.Equal(a, rest) {
							t.Errorf("m=%d n=%d lda=%d: A was changed", m, n, lda)
						}
						fill(down, 4)
						symvExact(t, k, a, m, n, lda, along, down, moreAlong[p], moreDown[p])
						for i := range m {
							for j := range n {
								rest[i*lda+j] += 2 * down[i] * along[j]
							}
						}
						k.Ger(m, n, 2, &down[0], 1, &along[0], &a[0], lda)
						if !slices.Equal(a, rest) {
							t.Errorf("m=%d n=%d lda=%d: Ger is wrong, or wrote between the rows", m, n, lda)
						}
					}
				}
			}
		}
	}
}

// symvExact compares Dotxaxpyf with plain loops on the rows of A, which are lda apart. It overwrites y
// and v.
func symvExact(t *testing.T, k Kernel, a []float64, m, n, lda int, x, u, y, v []float64) {
	clear(y)
	clear(v)
	wantY, wantV := make([]float64, n), make([]float64, m)
	for i := range m {
		for j := range n {
			wantY[j] += 2 * u[i] * a[i*lda+j]
			wantV[i] += 2 * a[i*lda+j] * x[j]
		}
	}
	k.Dotxaxpyf(m, n, 2, &a[0], lda, 0, &x[0], &u[0], &y[0], &v[0])
	if !slices.Equal(y, wantY) || !slices.Equal(v, wantV) {
		t.Errorf("m=%d n=%d lda=%d: Dotxaxpyf gives %v and %v, want %v and %v", m, n, lda, y, v, wantY, wantV)
	}
}

func TestLevel2Exact(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		var guarded [][]float64
		level2Exact(t, k, func(n int) [][]float64 {
			var inner [][]float64
			for _, offset := range []int{16, 19} {
				all := make([]float64, offset+n+16)
				for i := range all {
					all[i] = math.NaN()
				}
				guarded = append(guarded, all[:offset], all[offset+n:])
				inner = append(inner, all[offset:offset+n:offset+n])
			}
			return inner
		})
		for _, g := range guarded {
			for _, v := range g {
				if !math.IsNaN(v) {
					t.Fatalf("%v was written beside an operand", v)
				}
			}
		}
	})
}
