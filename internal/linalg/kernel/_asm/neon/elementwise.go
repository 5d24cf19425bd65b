package neon

// An elementwise function is a loop dst[i] = f(src[i]). The caller passes its constants as a table with
// rows of four equal ones. Some of them stay in registers. The others are read where they are used,
// above all summands, which FMLA overwrites: loads have units of their own.
type elementwise struct {
	part
	src, table general
	held       map[int]vector // constants in registers
	free       []vector       // registers that are not in use
}

// elementwise writes the function of the given name. The body turns arguments in registers 0, 1, ...
// into results there: four vectors at a time, which hide the latency, then fewer, then one element, all
// by the same instructions.
func (g *generator) elementwise(name string, held []int, body func(e *elementwise), doc ...string) {
	g.function(name, "(dst, src *float64, n int, table *float64)", doc...)
	dst, src, n, table := g.load("dst"), g.load("src"), g.load("n"), g.load("table")
	e := &elementwise{src: src, table: table, held: map[int]vector{}}
	for i, row := range held {
		e.held[row] = vector(31 - i)
		g.loadVector(at(table, 32*row), e.held[row])
	}
	g.parts(4, n, []general{src, dst}, func(p part) {
		e.part, e.free = p, nil
		for v := range vector(32 - len(held)) {
			e.drop(v)
		}
		body(e)
		p.store(0, dst)
	})
	g.ret()
}

// fresh returns a register that is not in use.
func (e *elementwise) fresh() vector {
	v := e.free[0]
	e.free = e.free[1:]
	return v
}

// vectors returns a fresh register for each vector of the part.
func (e *elementwise) vectors() []vector {
	v := make([]vector, e.count)
	for i := range v {
		v[i] = e.fresh()
	}
	return v
}

// drop says that registers are no longer in use.
func (e *elementwise) drop(v ...vector) { e.free = append(e.free, v...) }

// read returns fresh registers with vectors from base on, in pairs, each step bytes behind the one
// before.
func (e *elementwise) read(base general, disp, step int) []vector {
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

// arguments returns fresh registers with the arguments.
func (e *elementwise) arguments() []vector { return e.read(e.src, 0, 32) }

// summands returns fresh registers with the constant of a row.
func (e *elementwise) summands(row int) []vector { return e.read(e.table, 32*row, 0) }

// with calls use for each vector of the part, with the constant of a row.
func (e *elementwise) with(row int, use func(i int, c vector)) {
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
func (e *elementwise) line(summand, factor int, x []vector) []vector {
	y := e.summands(summand)
	e.with(factor, func(i int, f vector) { e.fmla(x[i], f, y[i]) })
	return y
}

// polynomials returns two polynomials of s of the same degree. Each has its coefficients, the highest
// power first, in rows that begin with p or q and are step rows apart.
func (e *elementwise) polynomials(s []vector, p, q, step, degree int) (ps, qs []vector) {
	ps, qs = e.line(p+step, p, s), e.line(q+step, q, s)
	for d := 2; d <= degree; d++ {
		e.horner(p+d*step, s, ps)
		e.horner(q+d*step, s, qs)
	}
	return ps, qs
}

// horner replaces x by c + s·x, where c is the constant of a row.
func (e *elementwise) horner(row int, s, x []vector) {
	c := e.summands(row)
	for i := range x {
		e.fmla(s[i], x[i], c[i])
		x[i], c[i] = c[i], x[i]
	}
	e.drop(c...)
}
