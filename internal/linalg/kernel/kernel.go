// Package kernel provides the micro-kernels, the innermost loops of every matrix product, for each
// instruction set, and selects one.
//
// # The contract
//
// A micro-kernel computes at most MR rows of a row-major matrix C, of any width,
//
//	C = alpha·A·B + C   or   C = alpha·A·B
//
// in tiles of MR×NR elements in registers, from left to right. A (m×k) may have any strides; the
// rows of B (k×n) are contiguous within panels of NR columns:
//
//	a[i*rowA + p*colA] = A[i,p]
//	b[j/NR*panelB + p*rowB + j%NR] = B[p,j]
//	c[i*ldc + j] = C[i,j], except with AddPacked (see Store)
//
// A may be a matrix in place (rowA = lda, colA = 1), its transpose (1, lda) or a packed
// micro-panel (1, MR). B may be a matrix in place (rowB = ldb, panelB = NR) or packed (NR, NR·k).
//
//   - 1 <= m <= MR, n >= 1, k >= 1. The kernel reads A, B and, except with Overwrite, C. It writes
//     C, and touches nothing else.
//   - Every element is a chain of fused multiply-adds, s = FMA(A[i,p], B[p,j], s) for p = 0, 1,
//     ..., k-1. It starts at s = +0, or at s = alpha·C[i,j] with Continue. Then C[i,j] = FMA(alpha,
//     s, C[i,j]) with Add and AddPacked, and alpha·s otherwise.
//   - No multiplication is skipped: 0·NaN and 0·Inf give NaN.
//   - C must not overlap A or B. A kernel never fails, allocates nothing and keeps no pointer.
//
// # Levels 1 and 2
//
// Dot, Axpy, Scal, Rot, AbsMax, AddAbs, GemvN, GemvT, Ger, Dotxaxpyf and Symv access only the
// elements in their equations. Lengths must be positive, and results must not overlap operands. No
// multiplication is skipped. Sums have lanes, which start at +0 and are added in one fixed order:
//
//   - Dot uses 32 lanes while at least 32 elements are left: a fused multiply-add adds x[i]·y[i] to
//     lane i%32. Then lane v+16 is added to lane v, and lane v+8 to lane v. The eight lanes left
//     take the remaining elements likewise, padded with zeros. Then lane v+4 is added to
//     lane v, and the four sums p, q, r, s give (p+q) + (r+s).
//   - GemvN is y[i] = FMA(alpha, Dot of row i and x, beta·y[i]), with +0 for beta·y[i] if beta = 0.
//   - GemvT is Scal of y by beta (y = +0 if beta = 0), then Axpy of each row to y from the top down.
//     Ger is Axpy of y to each row. Axpy is one fused multiply-add per element; the factor of GemvT
//     and Ger, alpha·x[i], is rounded.
//   - Dotxaxpyf is Axpy of each row to y, from the top down. Then v[i] = FMA(alpha, s, v[i]), where
//     the sum s of row i is accumulated as in Dot, but in eight lanes from the start.
//   - Rot and Symv round each product and each sum. Symv takes the rows from the top down. Each
//     stored A[i,j] off the diagonal, from left to right, adds (alpha·x[i])·A[i,j] to y[j] and
//     A[i,j]·x[j] to a sum s, which starts at +0. Then y[i] += alpha·(A[i,i]·x[i] + s).
//   - AddAbs uses 16 lanes while at least 16 elements are left. Then lanes 0 to 3 take elements four
//     at a time, and two more lanes, e and f, take the rest in turn. Lane v+8 is added to lane v,
//     then lane v+4 to lane v, and the four sums p, q, r, s give ((p+e)+(q+f)) + (r+s).
//
// # The same bits on every machine
//
// All kernels agree bit for bit, except for NaN payloads, on CPUs with a fused multiply-add.
package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// Align is the alignment of packed blocks, in bytes. It is the size of the architecture's longest cache
// line (64 on amd64, 128 on arm64 because of Apple's CPUs), and at least the widest vector register.
const Align = max(64, unsafe.Sizeof(cpu.CacheLinePad{}))

// A Kernel holds the float64 functions for one instruction set. The package comment specifies them.
type Kernel struct {
	// Name is the instruction set, such as "avx2", or "generic" for the portable kernel.
	Name string

	// MR×NR is the size of the tile of C that Gemm holds in registers.
	MR, NR int

	// Available reports whether this machine can run the kernel.
	Available func() bool

	// Speed is the approximate rate of Gemm, in flops per nanosecond. Callers use it to estimate
	// whether a product takes long enough for several threads.
	Speed float64

	// Peak repeats z = x·y + z, n times, in each lane of several vector registers and returns one
	// z. Each z starts as a small integer. Peak accesses no memory and does 2·n·PeakWidth flops as
	// fast as the CPU can.
	Peak func(n int, x, y float64) float64

	// PeakWidth is the number of lanes that Peak uses.
	PeakWidth int

	// Gemm computes m <= MR rows of C = alpha·A·B or C = alpha·A·B + C, depending on store. It
	// takes 2mnk flops.
	Gemm func(m, n, k int, alpha float64, a *float64, rowA, colA int, b *float64, rowB, panelB int, store Store, c *float64, ldc int)

	// Solve overwrites the m×n matrix X, m <= MR, with the solution Y of T·Y = X. T is lower
	// triangular: T[i,j] = t[i*rowT+j*colT] for j < i. d holds the reciprocals of its diagonal,
	// which is all ones if d is nil. Row i of X is x[i*ldx:]. Strides may be negative: read
	// backwards, an upper triangle is a lower one. Solve takes m²n flops. Row i becomes
	// FMA(-T[i,j], Y[j], X[i]) for j = 0, 1, ..., i-1, and then FMA(d[i], X[i], +0).
	Solve func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)

	// Multiply overwrites X with T·X. It takes the arguments of Solve, but d holds the diagonal
	// itself. Row i becomes d[i]·X[i], and then FMA(T[i,j], X[j], X[i]) for j = i-1, ..., 1, 0.
	Multiply func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)

	// Copy copies an m×n matrix, m, n >= 1. Row i+1 of src starts lds + i·stepS elements after row
	// i, and likewise for dst. A step is 0 for equally spaced rows and -1 for rows of packed
	// storage. Copy writes no other element of dst; dst and src must not overlap.
	Copy func(m, n int, src *float64, lds, stepS int, dst *float64, ldd, stepD int)

	// Transpose copies the transpose of an m×n matrix: dst[j*ldd+i] becomes element j of row i of
	// src. The rows of src are spaced as in Copy, and the conditions are the same.
	Transpose func(m, n int, src *float64, lds, step int, dst *float64, ldd int)

	// Tanh computes dst[i] = tanh(src[i]) for all i < len(src). It panics if dst is shorter than
	// src. dst and src must start at the same element or not overlap. The error is less than 2 ulp,
	// even for subnormal numbers; zeros keep their sign, and NaN gives NaN. Each dst[i] depends on
	// src[i] alone and is the same with every kernel.
	Tanh func(dst, src []float64)

	// Dot, Axpy, Scal and Rot are the loops over one or two vectors of unit stride; n >= 1. See
	// Levels 1 and 2 in the package comment.
	//
	//	Dot:  returns the sum of x[i]·y[i]
	//	Axpy: y[i] += alpha·x[i]
	//	Scal: x[i] *= alpha
	//	Rot:  x[i], y[i] = h11·x[i] + h12·y[i], h21·x[i] + h22·y[i]
	Dot  func(n int, x, y *float64) float64
	Axpy func(n int, alpha float64, x, y *float64)
	Scal func(n int, alpha float64, x *float64)
	Rot  func(n int, h11, h12, h21, h22 float64, x, y *float64)

	// AbsMax returns the first index of the largest |x[i]|, 0 <= i < n, and that magnitude; n >= 1.
	// It ignores NaN; if no magnitude is positive, it returns 0, 0.
	AbsMax func(n int, x *float64) (at int, size float64)

	// AddAbs computes y[i] += |x[i]| and returns the sum of |x[i]|, for 0 <= i < n; n >= 1. NaN and
	// Inf reach y and the sum. x and y must not overlap.
	AddAbs func(n int, x, y *float64) float64

	// GemvN, GemvT and Ger are the loops over an m×n matrix A, a[i*lda+j] = A[i,j], and two
	// vectors; m, n >= 1. The vector of length n has unit stride. The vector of length m may have
	// any stride, of either sign; its pointer addresses the element for row 0.
	//
	//	GemvN: y[i*incY] = beta·y[i*incY] + alpha · sum over j of A[i,j]·x[j]
	//	GemvT: y[j] = beta·y[j] + sum over i of (alpha·x[i*incX])·A[i,j]
	//	Ger:   A[i,j] += (alpha·x[i*incX])·y[j]
	//
	// If beta = 0, y is overwritten without being read.
	GemvN func(m, n int, alpha float64, a *float64, lda int, x *float64, beta float64, y *float64, incY int)
	GemvT func(m, n int, alpha float64, a *float64, lda int, x *float64, incX int, beta float64, y *float64)
	Ger   func(m, n int, alpha float64, x *float64, incX int, y, a *float64, lda int)

	// Dotxaxpyf is the loop over an m×n rectangle A off the diagonal of a symmetric matrix. It
	// reads each element once and uses it twice. Row i+1 starts lda + i·step elements after row i:
	// step is 0 for a full matrix, 1 or -1 for a packed triangle. m, n >= 1; the vectors have unit
	// stride. y and v must not overlap anything; x and u may overlap each other.
	//
	//	y[j] += sum over i of (alpha·u[i])·A[i,j]
	//	v[i] += alpha · sum over j of A[i,j]·x[j]
	Dotxaxpyf func(m, n int, alpha float64, a *float64, lda, step int, x, u, y, v *float64)

	// Symv is the loop over a symmetric m×m matrix A, 1 <= m <= SymvRows, with its upper or lower
	// triangle stored. A[i,j] is element j of row i, and rows are spaced as in Dotxaxpyf. x and y
	// have unit stride. y must not overlap anything.
	//
	//	y[i] += alpha · sum over j of A[i,j]·x[j]
	Symv func(upper bool, m int, alpha float64, a *float64, lda, step int, x, y *float64)
}

// SymvRows is the largest order that Symv accepts.
const SymvRows = 8

// A Store selects what Gemm does with a product. It is an alias of uint8 because the packages of the
// assembly functions cannot import this one.
type Store = uint8

const (
	Overwrite Store = iota // C = alpha·A·B, without reading C
	Add                    // C = alpha·A·B + C

	// AddPacked is Add for rows of packed storage: C[i,j] is c[i*ldc - i*(i-1)/2 + j].
	AddPacked

	// Continue, for alpha = 1 or -1, starts the sums at alpha·C instead of zero, and stores
	// alpha·sum. Thus C = C + alpha·A·B is one chain of fused multiply-adds over several calls.
	Continue
)

// table lists the kernels of this build, best first. It ends with generic, which is always available.
var table = append(vectorKernels, generic)

// EnvKernel is the name of the environment variable that selects the kernel. If this build lacks the
// kernel or this CPU cannot run it, Selected returns an error and never falls back to another kernel.
const EnvKernel = "BLSKERNEL_KERNEL"

// Selected returns the kernel that BLSKERNEL_KERNEL names or, if that variable is empty, the best
// kernel that this machine can run. The choice of the first call holds for the life of the process.
var Selected = sync.OnceValues(func() (Kernel, error) { return choose(os.Getenv(EnvKernel)) })

func choose(env string) (Kernel, error) {
	if env == "" {
		return Best(), nil
	}
	k, err := Lookup(env)
	if err != nil {
		return Kernel{}, fmt.Errorf("%s=%s: %w", EnvKernel, env, err)
	}
	return k, nil
}

// Best returns the best kernel that this machine can run.
func Best() Kernel {
	return table[slices.IndexFunc(table, func(k Kernel) bool { return k.Available() })]
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

// Lookup returns the kernel with the given name, ignoring case. If this build lacks it or this machine
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
