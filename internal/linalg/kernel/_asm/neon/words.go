package neon

import "fmt"

// word writes an instruction without a name in Go's assembler: its encoding and, as a comment, its
// mnemonic in Arm's syntax, in which the destination comes first.
func (g *generator) word(code uint32, format string, operands ...any) {
	fmt.Fprintf(&g.text, "\tWORD $0x%08x // %s\n", code, fmt.Sprintf(format, operands...))
}

// three writes an instruction of three vectors, d = n op m.
func (g *generator) three(code uint32, name string, n, m, d vector) {
	g.word(code|uint32(m)<<16|uint32(n)<<5|uint32(d), "%s v%d.2d, v%d.2d, v%d.2d", name, d, n, m)
}

// two writes an instruction of two vectors, d = op n.
func (g *generator) two(code uint32, name string, n, d vector) {
	g.word(code|uint32(n)<<5|uint32(d), "%s v%d.2d, v%d.2d", name, d, n)
}

// lane writes an instruction of a vector and one element of another, d = n op m[i] or d += n op m[i].
func (g *generator) lane(code uint32, name string, n, m vector, i int, d vector) {
	g.word(code|uint32(m)<<16|uint32(i)<<11|uint32(n)<<5|uint32(d), "%s v%d.2d, v%d.2d, v%d.d[%d]", name, d, n, m, i)
}

// Sums, products and quotients of each element.
func (g *generator) fadd(n, m, d vector) { g.three(0x4e60d400, "fadd", n, m, d) } // d = n + m
func (g *generator) fsub(n, m, d vector) { g.three(0x4ee0d400, "fsub", n, m, d) } // d = n - m
func (g *generator) fmul(n, m, d vector) { g.three(0x6e60dc00, "fmul", n, m, d) } // d = n·m
func (g *generator) fdiv(n, m, d vector) { g.three(0x6e60fc00, "fdiv", n, m, d) } // d = n/m

// fmla and fmls add or subtract a product with one rounding: d ± n·m.
func (g *generator) fmla(n, m, d vector) { g.op("VFMLA", m, n, d) }
func (g *generator) fmls(n, m, d vector) { g.op("VFMLS", m, n, d) }

// fmlaLane, fmlsLane and fmulLane multiply both elements of n by element i of m.
func (g *generator) fmlaLane(n, m vector, i int, d vector) { g.lane(0x4fc01000, "fmla", n, m, i, d) }
func (g *generator) fmlsLane(n, m vector, i int, d vector) { g.lane(0x4fc05000, "fmls", n, m, i, d) }
func (g *generator) fmulLane(n, m vector, i int, d vector) { g.lane(0x4fc09000, "fmul", n, m, i, d) }

// fmin sets d to the smaller elements, and to NaN where n or m is NaN.
func (g *generator) fmin(n, m, d vector) { g.three(0x4ee0f400, "fmin", n, m, d) }

func (g *generator) fabs(n, d vector) { g.two(0x4ee0f800, "fabs", n, d) }

// fcmeq sets all bits of d where n = m, and fcmge where n >= m. Elsewhere, as for NaN, they clear d.
func (g *generator) fcmeq(n, m, d vector) { g.three(0x4e60e400, "fcmeq", n, m, d) }
func (g *generator) fcmge(n, m, d vector) { g.three(0x6e60e400, "fcmge", n, m, d) }

// facgt sets all bits of d where |n| > |m|, and clears all bits elsewhere.
func (g *generator) facgt(n, m, d vector) { g.three(0x6ee0ec00, "facgt", n, m, d) }

// faddp adds pairs: d = (n[0]+n[1], m[0]+m[1]). faddpScalar sets d[0] = n[0] + n[1] and d[1] = 0.
func (g *generator) faddp(n, m, d vector) { g.three(0x6e60d400, "faddp", n, m, d) }
func (g *generator) faddpScalar(n, d vector) {
	g.word(0x7e70d800|uint32(n)<<5|uint32(d), "faddp d%d, v%d.2d", d, n)
}

// zero sets registers to +0.
func (g *generator) zero(vs ...vector) {
	for _, v := range vs {
		g.op("VEOR", v.bits(), v.bits(), v.bits())
	}
}

func (g *generator) copy(n, d vector) { g.op("VORR", n.bits(), n.bits(), d.bits()) }

// and sets d = n & m, bit by bit. bit copies the bits of n that mask selects to d.
func (g *generator) and(n, m, d vector)    { g.op("VAND", m.bits(), n.bits(), d.bits()) }
func (g *generator) bit(n, mask, d vector) { g.op("VBIT", mask.bits(), n.bits(), d.bits()) }

// trn1 and trn2 transpose 2×2 elements: d = (n[0], m[0]) and d = (n[1], m[1]).
func (g *generator) trn1(n, m, d vector) { g.op("VTRN1", m, n, d) }
func (g *generator) trn2(n, m, d vector) { g.op("VTRN2", m, n, d) }

// loadPair and storePair move two vectors that are adjacent in memory. m must not have an index.
func (g *generator) loadPair(m memory, v, w vector) {
	g.op("FLDPQ", m, fmt.Sprintf("(%s, %s)", v.scalar(), w.scalar()))
}
func (g *generator) storePair(v, w vector, m memory) {
	g.op("FSTPQ", fmt.Sprintf("(%s, %s)", v.scalar(), w.scalar()), m)
}

// loadNext loads two vectors, or a single vector if one is set, and moves base past them.
func (g *generator) loadNext(base general, v vector, one bool) {
	if one {
		g.op("FMOVQ.P", at(base, 16), v.scalar())
		return
	}
	g.op("FLDPQ.P", at(base, 32), fmt.Sprintf("(%s, %s)", v.scalar(), (v+1).scalar()))
}

// loadVector and storeVector move a vector. loadOne sets the first element of v from memory and the
// second to +0; storeOne stores the first.
func (g *generator) loadVector(m memory, v vector)  { g.op("FMOVQ", m, v.scalar()) }
func (g *generator) storeVector(v vector, m memory) { g.op("FMOVQ", v.scalar(), m) }
func (g *generator) loadOne(m memory, v vector)     { g.op("FMOVD", m, v.scalar()) }
func (g *generator) storeOne(v vector, m memory)    { g.op("FMOVD", v.scalar(), m) }

// prefetchAhead prefetches the cache line at base + index bytes to L1 for reading. Go's assembler
// accepts no index in PRFM.
func (g *generator) prefetchAhead(base, index general) {
	g.word(0xf8a06800|uint32(index)<<16|uint32(base)<<5, "prfm pldl1keep, [x%d,x%d]", base, index)
}
