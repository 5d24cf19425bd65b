package speed

import (
	"errors"
	"slices"
	"strings"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// An operands value holds the arguments of an operation, the operands a, b and c that the operation
// reads, and the operands outs that it writes; out is outs[0]. Routines of LAPACK also have pivots, tau
// and workspaces, and set err.
type operands struct {
	args                    string
	a, b, c, out, tau, work []float64
	outs                    [][]float64
	pivots                  []int
	ipiv, iwork             []int32
	solvers                 map[blskernel.Backend]*lapack.LU // of a, made by lu-solve
	err                     error
}

func (o *operands) side(i int) blas.Side       { return blas.Side(o.args[i]) }
func (o *operands) uplo(i int) blas.Uplo       { return blas.Uplo(o.args[i]) }
func (o *operands) trans(i int) blas.Transpose { return blas.Transpose(o.args[i]) }

func (o *operands) check(ok bool) {
	if !ok {
		o.err = errors.New("the routine returned false")
	}
}

// draw draws an operand of order n from r. shape is one of the letters in the body. 'l' also sets
// o.pivots, and 'q' sets o.tau. The factorizations of the drawn matrices exist.
func (o *operands) draw(shape byte, n int, r source) []float64 {
	switch shape {
	case 'm': // a matrix
		return r.draw(n * n)
	case 'M': // the matrix that 'm' would draw, by columns
		return transposed(n, r.draw(n*n))
	case 't': // a triangular matrix
		return r.nearIdentity(n)
	case 'p': // a packed symmetric matrix
		return r.draw(n * (n + 1) / 2)
	case 'f': // the matrix that 'p' would draw: its upper triangle in full storage
		return unpacked(n, r.draw(n*(n+1)/2))
	case 'P': // a packed symmetric positive definite matrix
		packed := r.draw(n * (n + 1) / 2)
		for at, i := 0, n; i > 0; at, i = at+i, i-1 {
			packed[at] += float64(n)
		}
		return packed
	case 'F': // the matrix that 'P' would draw: its upper triangle in full storage
		return unpacked(n, o.draw('P', n, r))
	case 'v', 'w': // a vector; 'w' stands for values
		return r.draw(n)
	case 's': // a or aᵀ, so that op(a)·op(b) is symmetric
		if o.trans(0) == o.trans(1) {
			return transposed(n, o.a)
		}
		return slices.Clone(o.a)
	case 'd', 'c': // the upper triangle of a symmetric positive definite matrix, in full storage, or its Cholesky factor
		a := r.draw(n * n)
		for i := range n {
			a[i*n+i] += float64(n)
		}
		if shape == 'c' {
			lapack.Implementation{}.Dpotrf(blas.Upper, n, a, n)
		}
		return a
	case 'l': // the factors L and U of a matrix
		a := r.draw(n * n)
		lapack.Implementation{}.Dgetrf(n, n, a, n, o.pivots)
		return a
	case 'q': // the factors Q and R of a matrix
		a := r.draw(n * n)
		lapack.Implementation{}.Dgeqrf(n, n, a, n, o.tau, o.work, len(o.work))
		return a
	}
	return r.draw(1) // a number
}

func transposed(n int, a []float64) []float64 {
	return mat.DenseCopyOf(mat.NewDense(n, n, a).T()).RawMatrix().Data
}

func unpacked(n int, packed []float64) []float64 {
	full := make([]float64, n*n)
	for at, i := 0, 0; i < n; i++ {
		at += copy(full[i*n+i:(i+1)*n], packed[at:])
	}
	return full
}

// newOperation returns a case of op, computed by do, for each word of args, with its opponents. A call
// takes coefficient·n^power flops. shapes has a letter of draw for each of a, b and c and, after "=",
// for the operands that do writes. With "+=", do also reads out. A call that adds to an element of out
// changes it by at most 1/2. With "!=", do is a routine of LAPACK, and out is restored before each
// call. If shapes has values ('w'), only these are compared, in ascending order.
func newOperation(
	op, args string, coefficient float64, power int, shapes string,
	do func(be blskernel.Backend, n int, o *operands), against ...opponent,
) (cases []Case) {
	var opponents []string
	for _, a := range against {
		opponents = append(opponents, a.name)
	}
	prepare := func(args string, n int, r source, name string) *Problem {
		if i := slices.Index(opponents, name); i >= 0 {
			return newProblem(args, n, r, against[i].shapes, against[i].workspace(n), against[i].call)
		}
		return newProblem(args, n, r, shapes, 64*n, do)
	}
	for _, args := range strings.Split(args, " ") {
		cases = append(cases, Case{op, args, opponents, coefficient, power, prepare})
	}
	return cases
}

func newProblem(args string, n int, r source, shapes string, workspace int, do func(be blskernel.Backend, n int, o *operands)) *Problem {
	read, written, _ := strings.Cut(shapes, "=")
	read, reads := strings.CutSuffix(read, "+")
	read, restored := strings.CutSuffix(read, "!")
	o := &operands{args: args}
	if restored {
		o.pivots, o.tau, o.work = make([]int, n), make([]float64, n), make([]float64, workspace)
		o.ipiv, o.iwork = make([]int32, n), make([]int32, 8*n+3)
	}
	for i, to := range []*[]float64{&o.a, &o.b, &o.c}[:len(read)] {
		*to = o.draw(read[i], n, r)
	}
	var all []float64
	for i := range written {
		o.outs = append(o.outs, o.draw(written[i], n, r))
	}
	if all = o.outs[0]; len(o.outs) > 1 {
		all = slices.Concat(o.outs...)
	}
	for i, rest := 0, all; i < len(o.outs); i++ {
		end := len(o.outs[i])
		o.outs[i], rest = rest[:end:end], rest[end:]
	}
	o.out = o.outs[0]
	p := computes(all, func(be blskernel.Backend) func() error {
		return func() error {
			o.err = nil
			do(be, n, o)
			return o.err
		}
	})
	if strings.Contains(written, "w") {
		p.compared = func() (values []float64) {
			for i := range written {
				if written[i] == 'w' {
					values = append(values, slices.Sorted(slices.Values(o.outs[i]))...)
				}
			}
			return values
		}
	}
	if reads {
		p.initial, p.maxBatch = slices.Clone(o.out), maxInPlace
	} else if restored {
		p.initial, p.maxBatch = slices.Clone(o.out), 1
	}
	return p
}

const (
	transposes, transposes2, oneTriangle, triangles = "N T", "NN NT TN TT", "U L", "UN UT LN LT"
	sided, sides                                    = "LU LL RU RL", "LUN LUT LLN LLT RUN RUT RLN RLT"
)

var routines = slices.Concat(
	newOperation("dgemm", transposes2, 2, 3, "mm=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dgemm(o.trans(0), o.trans(1), n, n, n, 1, o.a, n, o.b, n, 0, o.out, n)
	}),
	newOperation("dsyrk", triangles, 1, 3, "m=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dsyrk(o.uplo(0), o.trans(1), n, n, 1, o.a, n, 0, o.out, n)
	}),
	newOperation("dsyr2k", triangles, 2, 3, "mm=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dsyr2k(o.uplo(0), o.trans(1), n, n, 1, o.a, n, o.b, n, 0, o.out, n)
	}),
	newOperation("dsymm", sided, 2, 3, "mm=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dsymm(o.side(0), o.uplo(1), n, n, 1, o.a, n, o.b, n, 0, o.out, n)
	}),
	newOperation("dtrmm", sides, 1, 3, "t+=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dtrmm(o.side(0), o.uplo(1), o.trans(2), blas.NonUnit, n, n, 1, o.a, n, o.out, n)
	}),
	newOperation("dtrsm", sides, 1, 3, "t+=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dtrsm(o.side(0), o.uplo(1), o.trans(2), blas.NonUnit, n, n, 1, o.a, n, o.out, n)
	}),
	newOperation("dgemmt", "UNN UNT UTN LNN", 1, 3, "mm=m", func(be blskernel.Backend, n int, o *operands) {
		blskernel.Packed(be).Dgemmt(o.uplo(0), o.trans(1), o.trans(2), n, n, 1, o.a, n, o.b, n, 0, o.out, n)
	}),
	newOperation("dgemmtp", transposes2, 1, 3, "ms=p", func(be blskernel.Backend, n int, o *operands) {
		blskernel.Packed(be).Dgemmtp(o.trans(0), o.trans(1), n, n, 1, o.a, n, o.b, n, 0, o.out)
	}),
	newOperation("dgemmtanh", "", 2, 3, "mmv=m", func(be blskernel.Backend, n int, o *operands) {
		backend.Fused(be).DgemmTanh(blas.NoTrans, blas.NoTrans, n, n, n, 1, o.a, n, o.b, n, o.c, o.out, n)
	}),
	newOperation("dsprk", transposes, 1, 3, "m=p", func(be blskernel.Backend, n int, o *operands) {
		blskernel.Packed(be).Dsprk(o.trans(0), n, n, 1, o.a, n, 0, o.out)
	}),
	newOperation("dspmm", "L R", 2, 3, "pm=m", func(be blskernel.Backend, n int, o *operands) {
		blskernel.Packed(be).Dspmm(o.side(0), n, n, 1, o.a, o.b, n, 0, o.out, n)
	}),
	newOperation("dgemv", transposes, 2, 2, "mv=v", func(be blskernel.Backend, n int, o *operands) {
		be.Dgemv(o.trans(0), n, n, 1, o.a, n, o.b, 1, 0, o.out, 1)
	}),
	newOperation("dger", "", 2, 2, "vv+=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dger(n, n, 1, o.a, 1, o.b, 1, o.out, n)
	}),
	newOperation("dsymv", oneTriangle, 2, 2, "mv=v", func(be blskernel.Backend, n int, o *operands) {
		be.Dsymv(o.uplo(0), n, 1, o.a, n, o.b, 1, 0, o.out, 1)
	}),
	newOperation("dspmv", oneTriangle, 2, 2, "pv=v", func(be blskernel.Backend, n int, o *operands) {
		be.Dspmv(o.uplo(0), n, 1, o.a, o.b, 1, 0, o.out, 1)
	}),
	newOperation("dsyr", oneTriangle, 1, 2, "v+=m", func(be blskernel.Backend, n int, o *operands) {
		be.Dsyr(o.uplo(0), n, 1, o.a, 1, o.out, n)
	}),
	newOperation("dspr", oneTriangle, 1, 2, "v+=p", func(be blskernel.Backend, n int, o *operands) {
		be.Dspr(o.uplo(0), n, 1, o.a, 1, o.out)
	}),
	newOperation("dtrsv", triangles, 1, 2, "t+=v", func(be blskernel.Backend, n int, o *operands) {
		be.Dtrsv(o.uplo(0), o.trans(1), blas.NonUnit, n, o.a, n, o.out, 1)
	}),
	newOperation("ddot", "", 2, 1, "vv=1", func(be blskernel.Backend, n int, o *operands) { o.out[0] = be.Ddot(n, o.a, 1, o.b, 1) }),
	newOperation("daxpy", "", 2, 1, "v+=v", func(be blskernel.Backend, n int, o *operands) {
		be.Daxpy(n, 1, o.a, 1, o.out, 1)
	}),
	newOperation("dscal", "", 1, 1, "+=v", func(be blskernel.Backend, n int, o *operands) {
		be.Dscal(n, -1, o.out, 1)
	}),
	newOperation("dpotrf", "", 1./3, 3, "!=d", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dpotrf(blas.Upper, n, o.out, n))
	}),
	newOperation("dpotri", "", 2./3, 3, "!=c", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dpotri(blas.Upper, n, o.out, n))
	}),
	newOperation("dpotrs", "", 2, 3, "c!=m", func(be blskernel.Backend, n int, o *operands) {
		lapack.Implementation{Backend: be}.Dpotrs(blas.Upper, n, n, o.a, n, o.out, n)
	}),
	newOperation("dgetrf", "", 2./3, 3, "!=m", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dgetrf(n, n, o.out, n, o.pivots))
	}),
	newOperation("dgetri", "", 4./3, 3, "!=l", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dgetri(n, o.out, n, o.pivots, o.work, len(o.work)))
	}),
	newOperation("dgetrs", "", 2, 3, "l!=m", func(be blskernel.Backend, n int, o *operands) {
		lapack.Implementation{Backend: be}.Dgetrs(blas.NoTrans, n, n, o.a, n, o.pivots, o.out, n)
	}),
	newOperation("dtrtri", "", 1./3, 3, "!=t", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dtrtri(blas.Upper, blas.NonUnit, n, o.out, n))
	}),
	newOperation("dtrtrs", "", 1, 3, "t!=m", func(be blskernel.Backend, n int, o *operands) {
		o.check(lapack.Implementation{Backend: be}.Dtrtrs(blas.Upper, blas.NoTrans, blas.NonUnit, n, n, o.a, n, o.out, n))
	}),
	newOperation("dorgqr", "", 4./3, 3, "!=q", func(be blskernel.Backend, n int, o *operands) {
		lapack.Implementation{Backend: be}.Dorgqr(n, n, n, o.out, n, o.tau, o.work, len(o.work))
	}),
)
