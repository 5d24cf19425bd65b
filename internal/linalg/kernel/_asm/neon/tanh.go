package neon

import "blskernel/internal/linalg/kernel/_asm/spec"

// A tanhCode holds the constants. The caller passes them as a table with each constant four times in a
// row. Some stay in registers. The others, mainly summands (which FMLA overwrites), are loaded where
// they are used: loads have their own execution units.
type tanhCode struct {
	part
	src, table general
	held       map[int]vector // constants in registers
	free       []vector       // registers that are not in use
}

// tanh writes the loop dst[i] = tanh(src[i]): four vectors at a time, which hide the latency, then two,
// then one, then one element, all with the same instructions.
func tanh(g *generator) {
	g.function("Tanh")
	held := []int{spec.TanhHi, spec.TanhLo, spec.TanhTwo, spec.TanhOne}
	dst, src, n, table := g.load("dst"), g.load("src"), g.load("n"), g.load("table")
	e := &tanhCode{src: src, table: table, held: map[int]vector{}}
	for i, row := range held {
		e.held[row] = vector(31 - i)
		g.loadVector(at(table, 32*row), e.held[row])
	}
	g.parts(4, n, []general{src, dst}, func(p part) {
		e.part, e.free = p, nil
		for v := range vector(32 - len(held)) {
			e.drop(v)
		}
		e.values()
		p.store(0, dst)
	})
	g.ret()
}

// values writes the code that leaves the results in registers 0, 1, ..., like values for amd64.
func (e *tanhCode) values() {
	y := e.arguments()
	for _, v := range y {
		e.fabs(v, v)
	}
	e.with(spec.TanhClamp, func(i int, c vector) { e.fmin(y[i], c, y[i]) })
	large := e.vectors()
	e.with(spec.TanhBreak, func(i int, c vector) { e.fcmge(y[i], c, large[i]) })
	pow := e.line(spec.TanhShift, spec.TanhLog, y)
	n := e.vectors()
	e.with(spec.TanhShift, func(i int, c vector) {
		e.fsub(pow[i], c, n[i])
		e.and(n[i], large[i], n[i])
		e.op("VSHL", 52, pow[i], pow[i])
	})
	e.with(spec.TanhHi, func(i int, c vector) { e.fmls(n[i], c, y[i]) })
	e.with(spec.TanhLo, func(i int, c vector) { e.fmls(n[i], c, y[i]) })
	s := n
	for i := range y {
		e.fmul(y[i], y[i], s[i])
	}
	w, a := e.polynomials(s, spec.TanhP3, spec.TanhA3)
	num := s
	e.with(spec.TanhTwo, func(i int, two vector) {
		upper, plus, b := e.fresh(), e.fresh(), w[i]
		e.fmul(s[i], w[i], w[i])
		e.fmul(y[i], w[i], num[i])
		e.copy(a[i], upper)
		e.fmls(w[i], two, upper) // B
		e.copy(a[i], plus)
		e.fmla(y[i], upper, plus) // A + y·B
		e.copy(a[i], b)
		e.fmls(y[i], upper, b) // A - y·B
		e.bit(b, large[i], num[i])
		e.fmla(pow[i], plus, b)
		e.bit(b, large[i], a[i])
		e.fdiv(num[i], a[i], num[i])
		e.drop(upper, plus)
	})
	e.drop(w...)
	e.with(spec.TanhOne, func(i int, c vector) { e.bit(c, large[i], y[i]) })
	e.with(spec.TanhTwo, func(i int, c vector) { e.fmls(num[i], c, y[i]) })
	x := e.arguments() // again
	e.with(spec.TanhSign, func(i int, c vector) { e.bit(x[i], c, y[i]) })
}

// fresh returns a register that is not in use.
func (e *tanhCode) fresh() vector {
	v := e.free[0]
	e.free = e.free[1:]
	return v
}

// vectors returns a fresh register for each vector of the part.
func (e *tanhCode) vectors() []vector {
	v := make([]vector, e.count)
	for i := range v {
		v[i] = e.fresh()
	}
	return v
}

// drop marks registers as no longer in use.
func (e *tanhCode) drop(v ...vector) { e.free = append(e.free, v...) }

// read returns fresh registers with vectors from base + disp on, in pairs that are step bytes apart.
func (e *tanhCode) read(base general, disp, step int) []vector {
	v := e.vectors()
	switch {
	case e.one:
		e.loadOne(at(base, disp), v[0])
	case e.count == 1:
		e.loadVector(at(base, disp), v[0])
	}
	for i := 0; i+1 < e.count; i += 2 {
		e.loadPair(at(base, disp+i/2*step), v[i], v[i+1])
	}
	return v
}

// arguments returns fresh registers with the vectors of src in the part.
func (e *tanhCode) arguments() []vector { return e.read(e.src, 0, 32) }

// summands returns fresh registers that each hold the constant of a row, to be overwritten.
func (e *tanhCode) summands(row int) []vector { return e.read(e.table, 32*row, 0) }

// with calls use for each vector i of the part; register c holds the constant of the row.
func (e *tanhCode) with(row int, use func(i int, c vector)) {
	c, held := e.held[row]
	if !held {
		c = e.fresh()
		e.loadVector(at(e.table, 32*row), c)
		defer e.drop(c)
	}
	for i := range e.count {
		use(i, c)
	}
}

// line returns fresh registers with c + f·x, where c and f are the constants of two rows.
func (e *tanhCode) line(summand, factor int, x []vector) []vector {
	y := e.summands(summand)
	e.with(factor, func(i int, f vector) { e.fmla(x[i], f, y[i]) })
	return y
}

// polynomials returns two polynomials of s of degree 3. Each has its coefficients, the highest power
// first, in the rows that begin with p or q.
func (e *tanhCode) polynomials(s []vector, p, q int) (ps, qs []vector) {
	ps, qs = e.line(p+1, p, s), e.line(q+1, q, s)
	for d := 2; d <= 3; d++ {
		e.horner(p+d, s, ps)
		e.horner(q+d, s, qs)
	}
	return ps, qs
}

// horner replaces each x[i] by c + s[i]·x[i], where c is the constant of a row.
func (e *tanhCode) horner(row int, s, x []vector) {
	c := e.summands(row)
	for i := range x {
		e.fmla(s[i], x[i], c[i])
		x[i], c[i] = c[i], x[i]
	}
	e.drop(c...)
}
