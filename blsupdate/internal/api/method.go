// Package api has the types that both callers of blsupdate and its methods use: methods, options,
// actions and errors.
package api

import (
	"fmt"
	"strings"
)

// A Method is a way to bring the weights up to date. The package comment compares them.
type Method int

const (
	// Improved is the paper's Algorithm 3: A⁺ and W, in the form that Options.Form selects.
	Improved Method = iota
	// Original is the paper's Algorithm 2, B = A⁺D (I + DᵀD)⁻¹.
	Original
	// RidgeInverse keeps Q = (AᵀA + lambda I)⁻¹ and W.
	RidgeInverse
	// InverseCholesky keeps the triangular F with F Fᵀ = (AᵀA + lambda I)⁻¹, and W.
	InverseCholesky
	// Gram keeps AᵀA and AᵀY, and solves for W by Cholesky.
	Gram
	// QR keeps the triangular R with RᵀR = AᵀA + lambda I, and z = R⁻ᵀAᵀY, and solves R W = z.
	QR
)

var MethodNames = []string{"improved", "original", "ridge-inverse", "inverse-cholesky", "gram", "qr"}

// String returns the name of m in lower case, which ParseMethod reads.
func (m Method) String() string { return name(MethodNames, int(m), "Method") }

// ParseMethod returns the method of the given name, in any case.
func ParseMethod(s string) (Method, error) {
	i, err := parse(MethodNames, s, "method")
	return Method(i), err
}

// A Form says whether an update by q rows works with matrices of order q or of order k. Improved,
// RidgeInverse and InverseCholesky read it.
type Form int

const (
	// Auto takes the cheaper of Small and Large, or for Improved of Small and Compressed, by the flop
	// model.
	Auto Form = iota
	// Paper takes Small for q <= k and Large for q > k, as the paper does.
	Paper
	// Small works with matrices of order q. Improved: B = Dbar (I_q + Ax Dbar)⁻¹, a q×q symmetric
	// inverse, with an error like eps κ. RidgeInverse: Q - TᵀT with q rows of T (Woodbury).
	// InverseCholesky: one row after the other (Carlson).
	Small
	// Large works with matrices of order k. Improved: B = (I_k + Dbar Ax)⁻¹ Dbar, a k×k general
	// inverse, with an error like eps κ². RidgeInverse: the inverse of Q⁻¹ + AxᵀAx. InverseCholesky: a
	// k×k Cholesky factorization.
	Large
	// Compressed, for Improved only, is Small for the k rows R of a QR factorization Ax = Q R, whose
	// error is like eps κ, and B = Bk Qᵀ. It is Small for q <= k.
	Compressed
)

var FormNames = []string{"auto", "paper", "small", "large", "compressed"}

// String returns the name of f in lower case, which ParseForm reads.
func (f Form) String() string { return name(FormNames, int(f), "Form") }

// ParseForm returns the form of the given name, in any case.
func ParseForm(s string) (Form, error) {
	i, err := parse(FormNames, s, "form")
	return Form(i), err
}

// A CMode says what is done about C = Axᵀ - AᵀD, the part of the new rows outside the row space of A.
type CMode int

const (
	// CAuto computes C as long as A has fewer than k independent rows, and knows it to be zero from
	// then on. For lambda > 0, where A⁺ is a ridge inverse and C never zero, it is CZero and wants
	// l >= k.
	CAuto CMode = iota
	// CZero assumes C = 0 without a look, as the paper does. Where that is wrong, so is the result.
	CZero
	// CCheck computes C in every update, which takes 2qkl flops and keeps A, and decides its rank by
	// a tolerance. It needs lambda = 0.
	CCheck
)

var ModeNames = []string{"auto", "zero", "check"}

// String returns the name of m in lower case.
func (m CMode) String() string { return name(ModeNames, int(m), "CMode") }

func name(names []string, i int, kind string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

func parse(names []string, s, kind string) (int, error) {
	for i, n := range names {
		if strings.EqualFold(n, s) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("blsupdate: unknown %s %q; known are %s", kind, s, strings.Join(names, ", "))
}
