package blas12

import (
	"blskernel/internal/check"
	"testing"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// TestArguments gives our routines and gonum's the same arguments, most of them bad, and compares the
// panics.
func TestArguments(t *testing.T) {
	generic, err := kernel.Lookup("generic")
	if err != nil {
		t.Fatal(err)
	}
	reference, ours := gonum.Implementation{}, New(generic, nil)
	const most = (smallTriangle + 1) * (smallTriangle + 3)
	a, x, y := make([]float64, most), make([]float64, most), make([]float64, most)
	type arguments struct {
		ul               blas.Uplo
		tA               blas.Transpose
		d                blas.Diag
		m, n, lda        int
		a, x, y          []float64
		incX, incY       int
		alpha, beta      float64
		lenA, lenX, lenY int
	}
	routines := map[string]func(level, arguments){
		"Ddot":  func(f level, c arguments) { f.Ddot(c.n, c.x, c.incX, c.y, c.incY) },
		"Daxpy": func(f level, c arguments) { f.Daxpy(c.n, c.alpha, c.x, c.incX, c.y, c.incY) },
		"Dscal": func(f level, c arguments) { f.Dscal(c.n, c.alpha, c.x, c.incX) },
		"Dgemv": func(f level, c arguments) {
			f.Dgemv(c.tA, c.m, c.n, c.alpha, c.a, c.lda, c.x, c.incX, c.beta, c.y, c.incY)
		},
		"Dger": func(f level, c arguments) { f.Dger(c.m, c.n, c.alpha, c.x, c.incX, c.y, c.incY, c.a, c.lda) },
		"Dsymv": func(f level, c arguments) {
			f.Dsymv(c.ul, c.n, c.alpha, c.a, c.lda, c.x, c.incX, c.beta, c.y, c.incY)
		},
		"Dspmv": func(f level, c arguments) { f.Dspmv(c.ul, c.n, c.alpha, c.a, c.x, c.incX, c.beta, c.y, c.incY) },
		"Dsyr":  func(f level, c arguments) { f.Dsyr(c.ul, c.n, c.alpha, c.x, c.incX, c.a, c.lda) },
		"Dspr":  func(f level, c arguments) { f.Dspr(c.ul, c.n, c.alpha, c.x, c.incX, c.a) },
		"Dtrsv": func(f level, c arguments) { f.Dtrsv(c.ul, c.tA, c.d, c.n, c.a, c.lda, c.x, c.incX) },
	}
	compare := func(c arguments) {
		c.a, c.x, c.y = a[:c.lenA], x[:c.lenX], y[:c.lenY]
		for name, call := range routines {
			run := func(f level) (text any) {
				defer func() { text = recover() }()
				call(f, c)
				return nil
			}
			if want, got := run(reference), run(ours); want != got {
				c.a, c.x, c.y = nil, nil, nil
				t.Errorf("%s(%+v): panics with %v, gonum with %v", name, c, got, want)
			}
		}
	}
	// Of order k are the matrices that are not empty: below and above smallTriangle.
	for k, orders := range map[int][]int{3: {-1, 0, 1, 3}, smallTriangle + 1: {smallTriangle + 1}} {
		packed, full := k*(k+1)/2, (k-1)*(k+1)+k
		for _, ul := range []blas.Uplo{blas.Upper, 'x'} {
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans, 'x'} {
				for _, d := range []blas.Diag{blas.Unit, 'x'} {
					for _, m := range orders {
						for _, n := range orders {
							for _, lda := range []int{0, 1, k - 1, k + 1} {
								for _, inc := range [][2]int{{1, 1}, {0, 1}, {1, 0}, {-2, 1}, {1, 2}, {0, 0}} {
									for _, length := range [][3]int{
										{full, 2*k - 1, 2*k - 1}, {full - 1, k, k}, {packed - 1, 2*k - 1, 2*k - 1}, {packed, 2*k - 1, 2*k - 1},
										{full, k - 1, k}, {full, k, k - 1}, {full, 2*k - 2, 2*k - 1}, {full, 2*k - 1, 2*k - 2}, {0, 0, 0},
										{full - 1, k - 1, k}, {full - 1, k, k - 1}, {full, k - 1, k - 1},
									} {
										for _, f := range [][2]float64{{0, 1}, {1, 0}} {
											compare(arguments{ul: ul, tA: tA, d: d, m: m, n: n, lda: lda, incX: inc[0], incY: inc[1],
												lenA: length[0], lenX: length[1], lenY: length[2], alpha: f[0], beta: f[1]})
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestPackedOverflow has an order of which the number of elements is more than an int of 32 bits:
// n(n+1) is 65,536 then.
func TestPackedOverflow(t *testing.T) {
	const n = 1 << 16
	x, ap := make([]float64, n), make([]float64, n)
	available(t, func(t *testing.T, r *Routines) {
		for name, call := range map[string]func(){
			"Dspmv": func() { r.Dspmv(blas.Upper, n, 1, ap, x, 1, 0, make([]float64, n), 1) },
			"Dspr":  func() { r.Dspr(blas.Upper, n, 1, x, 1, ap) },
		} {
			func() {
				defer func() {
					if got := recover(); got != check.ShortAP {
						t.Errorf("%s: panics with %v, want %q", name, got, check.ShortAP)
					}
				}()
				call()
			}()
		}
	})
}
