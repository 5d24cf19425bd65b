// Package kernel has the micro-kernels, the innermost loops of every matrix product, for each
// instruction set, and selects one.
//
// # The contract
//
// A micro-kernel computes at most MR rows of a row-major matrix C, of any width,
//
//	C = alpha·A·B + C   or   C = alpha·A·B
//
// in tiles of MR×NR elements in registers, from left to right. A (m×k) may have any strides; the rows
// of B (k×n) are contiguous within each panel of NR columns:
//
//	a[i*rowA + p*colA] = A[i,p]
//	b[j/NR*panelB + p*rowB + j%NR] = B[p,j]
//	c[i*ldc + j] = C[i,j], or before it if C is packed, see Store
//
// So A may be a matrix in place (rowA = lda, colA = 1), its transpose (1, lda) or a packed micro-panel
// (1, MR). B may be a matrix in place (rowB = ldb, panelB = NR) or packed (NR, NR·k).
//
//   - 1 <= m <= MR, n >= 1, k >= 1. The kernel reads the m×k elements of A, the k×n of B and, if it
//     adds, the m×n of C, writes the m×n of C, and touches no other element.
//   - Every element is one chain of fused multiply-adds, s = FMA(A[i,p], B[p,j], s) for p = 0, 1, ...,
//     k-1, from s = +0, or from alpha·C[i,j] with Continue. Then C[i,j] = FMA(alpha, s, C[i,j]) if the
//     kernel adds, else alpha·s.
//   - No multiplier is skipped: 0·NaN and 0·Inf are NaN in C.
//   - C does not overlap A or B. A kernel never fails, allocates nothing and keeps no pointer.
//
// # Level 1 and 2
//
// Dot, Axpy, Scal, Rot, AbsMax, AddAbs, GemvN, GemvT, Ger, Dotxaxpyf and Symv access exactly the
// elements in their equations. Lengths are positive, and results do not overlap operands. No
// multiplier is skipped. Sums have lanes, all +0 at first, and one fixed shape:
//
//   - Dot has 32 lanes while 32 elements are left: element i is added to lane i%32 by a fused
//     multiply-add. Then lanes v and v+16 are added, and v and v+8. The eight lanes take the next
//     elements by eights, in the same way, a last incomplete eight as if zeros followed in both
//     vectors. Then lanes v and v+4 are added, and of these p, q, r, s the sum is (p+q) + (r+s).
//   - GemvN is y[i] = FMA(alpha, Dot of row i, beta·y[i]), with +0 for beta·y[i] if beta = 0.
//   - GemvT is Scal of y by beta (+0 if beta = 0) and Axpy of the rows from the top down, Ger is Axpy
//     of y to each row. Axpy is one fused multiply-add for each element, by the rounded alpha·x[i].
//   - Dotxaxpyf is Axpy of the rows to y from the top down. Then v[i] = FMA(alpha, s, v[i]) with the
//     sum s of row i in the last eight lanes of Dot alone.
//   - Rot and Symv round each product and each sum. In Symv rows go from the top down. The stored
//     A[i,j] off the diagonal add (alpha·x[i])·A[i,j] to y[j] and A[i,j]·x[j] to a sum s, from +0 and
//     from left to right. Then y[i] += alpha·(A[i,i]·x[i] + s).
//   - AddAbs has 16 lanes while 16 elements are left. Then lanes 0 to 3 take the elements by fours, and
//     two more lanes, e and f, the rest in turn. Lanes v and v+8 are added, then v and v+4, and of
//     these p, q, r, s the sum is ((p+e)+(q+f)) + (r+s).
//
// # The same bits on every machine
//
// All kernels agree bit for bit, except for NaN payloads, on CPUs with a fused multiply-add.
package kernel

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Align is the alignment in bytes of packed blocks: the longest cache line of the architecture, 128 on
// arm64, for Apple's CPUs, and 64 on amd64, and at least the widest vector register.
const Align = max(64, unsafe.Sizeof(cpu.CacheLinePad{}))

// A Kernel describes a micro-kernel for float64. The package comment is its contract.
type Kernel struct {
	// Name is the instruction set: "generic" and, where they exist, the names of faster ones.
	Name string

	// MR and NR are the rows and columns of the tile of C that Gemm holds in registers.
	MR, NR int

	// Available reports whether this machine can run the functions of the entry.
	Available func() bool

	// Speed is the approximate number of flops of Gemm in a nanosecond, which decides how many
	// threads a product is worth.
	Speed float64

	// Peak computes z = x·y + z, n times in each lane of several vector registers, from a small
	// integer z, and returns one z. It reads and writes no memory: 2·n·PeakWidth flops as fast as
	// the CPU can.
	Peak func(n int, x, y float64) float64

	// PeakWidth is the number of z of Peak.
	PeakWidth int

	// Gemm computes C = alpha·A·B, or C = alpha·A·B + C, as store says, for m <= MR rows: 2mnk
	// flops.
	Gemm func(m, n, k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB, panelB int, store Store, c *float64, ldc int)

	// Solve overwrites the m×n matrix X, m <= MR, by the solution Y of T·Y = X for the lower
	// triangle T[i,j] = t[i*rowT+j*colT], j < i, and the reciprocals d of its diagonal, or a
	// diagonal of ones if d is nil. Row i of X is x[i*ldx:]. Strides may be negative: a triangle
	// read backwards is an upper one. It takes m²n flops. Row i becomes FMA(-T[i,j], Y[j], X[i])
	// for j = 0, 1, ..., i-1, and then FMA(d[i], X[i], +0).
	Solve func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)

	// Multiply overwrites X by T·X, d being the diagonal of T itself, otherwise as Solve. Row i
	// becomes d[i]·X[i], and then FMA(T[i,j], X[j], X[i]) for j = i-1, ..., 1, 0.
	Multiply func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)

	// Copy copies an m×n matrix, m and n at least 1: dst[i*ldd+j] = src[i*lds+j]. No other element
	// of dst is written; dst and src do not overlap.
	Copy func(m, n int, src *float64, lds int, dst *float64, ldd int)

	// Transpose copies the transpose of an m×n matrix: dst[j*ldd+i] = src[i*lds+j], otherwise as
	// Copy.
	Transpose func(m, n int, src *float64, lds int, dst *float64, ldd int)

	// Tanh computes dst[i] = tanh(src[i]) for all i < len(src). It panics if dst is shorter than
	// src. dst and src are the same or do not overlap. It errs by less than 2 ulp, in the subnormal
	// range too; zeros keep their sign, NaN gives NaN. An element's result depends on its value
	// alone, and is the same on every kernel.
	Tanh func(dst, src []float64)

	// Dot, Axpy, Scal and Rot are the loops of one or two vectors; n >= 1, unit stride. See Level 1
	// and 2 in the package comment.
	//
	//	Dot:  returns the sum of x[i]·y[i]
	//	Axpy: y[i] += alpha·x[i]
	//	Scal: x[i] *= alpha
	//	Rot:  x[i], y[i] = h11·x[i] + h12·y[i], h21·x[i] + h22·y[i]
	Dot  func(n int, x, y *float64) float64
	Axpy func(n int, alpha float64, x, y *float64)
	Scal func(n int, alpha float64, x *float64)
	Rot  func(n int, h11, h12, h21, h22 float64, x, y *float64)

	// AbsMax returns the index of the first of the largest |x[i]|, and that magnitude, for 0 <= i <
	// n; n >= 1. A NaN is never the largest; if nothing is larger than zero it returns 0, 0.
	AbsMax func(n int, x *float64) (at int, size float64)

	// AddAbs computes y[i] += |x[i]| and returns the sum of |x[i]|, for 0 <= i < n; n >= 1. NaN and
	// Inf show in y and in the sum. x and y do not overlap.
	AddAbs func(n int, x, y *float64) float64

	// GemvN, GemvT and Ger are the loops of an m×n matrix A, a[i*lda+j] = A[i,j], and two vectors;
	// m, n >= 1. The vector that runs along the rows has unit stride, the one that runs down the
	// columns any, of either sign: its pointer is to the element that goes with row 0.
	//
	//	GemvN: y[i*incY] = beta·y[i*incY] + alpha · sum over j of A[i,j]·x[j]
	//	GemvT: y[j] = beta·y[j] + sum over i of (alpha·x[i*incX])·A[i,j]
	//	Ger:   A[i,j] += (alpha·x[i*incX])·y[j]
	//
	// With beta = 0, y is overwritten.
	GemvN func(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int)
	GemvT func(m, n int, alpha float64, a *float64, lda int, x *float64, incX int, beta float64, y *float64)
	Ger   func(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int)

	// Dotxaxpyf is the loop of an m×n rectangle A off the diagonal of a symmetric matrix. It reads
	// each element, which stands for two, once. Row i+1 starts lda + i·step elements after
	// row i: step = 0 for a full matrix, 1 or -1 for a packed triangle. m, n >= 1, unit stride; y
	// and v overlap nothing, x and u may.
	//
	//	y[j] += sum over i of (alpha·u[i])·A[i,j]
	//	v[i] += alpha · sum over j of A[i,j]·x[j]
	Dotxaxpyf func(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64)

	// Symv is the loop of a symmetric m×m A, 1 <= m <= SymvRows, of which the upper or the lower
	// triangle is stored: A[i,j] is in column j of the row, and rows are as far apart as in
	// Dotxaxpyf. y overlaps nothing.
	//
	//	y[i] += alpha · sum over j of A[i,j]·x[j]
	Symv func(upper bool, m int, alpha float64, a *float64, lda, step int, x, y *float64)
}

// SymvRows is the largest order of Symv.
const SymvRows = 8

// A Store says what Gemm does with a product. It is another name of uint8 because the declarations of
// the assembly are generated without it.
type Store = uint8

const (
	Overwrite Store = iota // C = alpha·A·B, without reading C
	Add                    // C = alpha·A·B + C

	// AddPacked is Add to rows of packed storage: C[i,j] is c[i*ldc - i*(i-1)/2 + j].
	AddPacked

	// Continue, for alpha = 1 or -1, begins the sums with alpha·C instead of zero, and stores
	// alpha·sum: C = C + alpha·A·B as one chain of fused multiply-adds over several calls.
	Continue
)

// table lists the kernels of this build, best first. generic, always available, ends it.
var table = append(vectorKernels, generic)

// EnvKernel names the environment variable that selects the kernel. A kernel that this build lacks or
// this CPU cannot run is an error of Selected, never a silent fallback.
const EnvKernel = "BLSKERNEL_KERNEL"

// Selected returns the kernel that BLSKERNEL_KERNEL names, or the first available one of the table. The
// first call decides for the life of the process.
var Selected = sync.OnceValues(func() (Kernel, error) { return choose(os.Getenv(EnvKernel)) })

func choose(env string) (Kernel, error) {
	if env == "" {
		return Lookup(Names()[0])
	}
	k, err := Lookup(env)
	if err != nil {
		return Kernel{}, fmt.Errorf("%s=%s: %w", EnvKernel, env, err)
	}
	return k, nil
}

// Names returns the names of the kernels that this machine can run, best first.
func Names() []string {
	var names []string
	for _, k := range table {
		if k.Available() {
			names = append(names, k.Name)
		}
	}
	return names
}

// Lookup returns the kernel with the given name, in any case. If this build lacks it or this machine
// cannot run it, the error lists the usable names.
func Lookup(name string) (Kernel, error) {
	usable := strings.Join(Names(), ", ")
	for _, k := range table {
		switch {
		case !strings.EqualFold(k.Name, name):
		case k.Available():
			return k, nil
		default:
			return Kernel{}, fmt.Errorf("kernel: this CPU cannot run kernel %q (usable here: %s)", name, usable)
		}
	}
	return Kernel{}, fmt.Errorf("kernel: this build has no kernel %q (usable here: %s)", name, usable)
}
