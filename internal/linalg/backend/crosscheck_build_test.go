package backend_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// flagsOf returns the values of a flag, or nil for a parameter that is not a flag.
func flagsOf(parameter reflect.Type) []any {
	switch parameter {
	case reflect.TypeFor[blas.Transpose]():
		return []any{blas.NoTrans, blas.Trans, blas.ConjTrans}
	case reflect.TypeFor[blas.Uplo]():
		return []any{blas.Upper, blas.Lower}
	case reflect.TypeFor[blas.Side]():
		return []any{blas.Left, blas.Right}
	case reflect.TypeFor[blas.Diag]():
		return []any{blas.NonUnit, blas.Unit}
	}
	return nil
}

func (s signature) build(d *draw) *call {
	values := arguments{}
	of := s.on(reference()).Type()
	for i, name := range strings.Fields(s.params) {
		if flags := flagsOf(of.In(i)); flags != nil {
			values[name] = flags[d.intN(len(flags))]
		}
		switch of.In(i) {
		case reflect.TypeFor[blas.DrotmParams]():
			values[name] = blas.DrotmParams{Flag: blas.Flag(d.intN(4) - 2), H: [4]float64{0.5, -0.25, 2, -1.5}}
		case reflect.TypeFor[float64]():
			values[name] = d.scalar()
		case reflect.TypeFor[int]():
			switch {
			case strings.HasPrefix(name, "ld"): // drawn with its operand
			case strings.HasPrefix(name, "inc"):
				values[name] = d.inc()
			case name == "kL" || name == "kU" || name == "k" && s.band():
				values[name] = d.intN(9)
			default:
				values[name] = d.size()
			}
		}
	}
	c := &call{roundings: s.more, relative: strings.Contains(" Dnrm2 Dasum Idamax ", " "+s.routine+" ")}
	if s.roundings != "" {
		for _, name := range strings.Split(s.roundings, ",") {
			c.roundings += s.dimension(values, name)
		}
	}
	for _, o := range strings.Fields(s.operands) {
		c.operands = append(c.operands, s.operand(d, values, o))
	}
	c.text = fmt.Sprint(values)
	c.do = func(b blskernel.Backend, x [][]float64, f func(float64) float64) []float64 {
		return s.invoke(b, values, x, f)
	}
	s.special(c, values)
	return c
}

// band reports whether the matrix of the routine is a band, as in Dgbmv, Dsbmv, Dtbmv and Dtbsv.
func (s signature) band() bool { return s.routine[2] == 'b' }

// dimension returns the value of a dimension in the table.
func (s signature) dimension(values arguments, name string) int {
	switch name {
	case "s":
		return check.Order(values["s"].(blas.Side), values["m"].(int), values["n"].(int))
	case "p", "q":
		p, q := block.Stored(values["tA"].(blas.Transpose), values["m"].(int), values["n"].(int))
		if name == "p" {
			return p
		}
		return q
	}
	return values[name].(int)
}

// use returns what the routine does with an operand that has the given number of marks in the table.
func (s signature) use(values arguments, name string, marks int) usage {
	alpha, scaled := values["alpha"].(float64)
	beta, added := values["beta"].(float64)
	switch {
	case s.oneVector() && marks > 0 && values["incX"].(int) < 0:
		// A routine on one vector then does nothing.
		return untouched
	case marks == 0:
		return unless(scaled && alpha == 0 && name != "bias")
	case strings.HasPrefix(s.routine, "Dg") && s.has("incY") && min(values["m"].(int), values["n"].(int)) == 0:
		return untouched // y of Dgemv and Dgbmv
	case marks == 2 || added && beta == 0 || s.has("diag") && scaled && alpha == 0:
		return overwritten
	}
	return written
}

// described returns what the table says of an operand: its name, the number of marks, its kind and its
// dimensions, or the stored dimensions for an op(X).
func (s signature) described(values arguments, description string) (name string, marks int, kind string, size []int) {
	name, shape, _ := strings.Cut(description, "=")
	marks = strings.Count(name, "!")
	name = strings.TrimRight(name, "!")
	kind, dimensions, _ := strings.Cut(shape, ":")
	for _, of := range strings.Split(dimensions, ",") {
		size = append(size, s.dimension(values, of))
	}
	if kind == "o" {
		t := values["tA"].(blas.Transpose)
		if tB, own := values["tB"].(blas.Transpose); own && name == "b" {
			t = tB
		}
		size[0], size[1] = block.Stored(t, size[0], size[1])
	}
	return name, marks, kind, size
}

func (s signature) operand(d *draw, values arguments, description string) *operand {
	name, marks, kind, size := s.described(values, description)
	u := s.use(values, name, marks)
	ld := func(cols int) int {
		values["ld"+name] = d.ld(cols)
		return values["ld"+name].(int)
	}
	if kind == "v" {
		inc, is := values["inc"+strings.ToUpper(name)].(int)
		if !is {
			inc = 1
		}
		n := size[0]
		return d.matrix((n-1)*max(inc, -inc)+1, n, 1, n, 0, func(i, _ int) int { return element(n, inc, i) }, u)
	}
	ul, is := values["ul"].(blas.Uplo)
	if !is {
		ul = blas.Upper
	}
	m, n := size[0], size[len(size)-1]
	kL, kU := m, n // all diagonals
	switch k, is := values["k"].(int); {
	case kind == "b":
		kL, kU = values["kL"].(int), values["kU"].(int)
	case is && s.band():
		kL, kU = k, k
	}
	switch {
	case kind == "t" && ul == blas.Upper:
		kL = 0
	case kind == "t":
		kU = 0
	}
	length, at := 0, packedAt(ul, n)
	switch {
	case name == "ap":
		length = block.PackedLen(n)
	case s.band():
		lda := ld(kL + kU + 1)
		length, at = (min(m, n+kL)-1)*lda+kL+kU+1, func(i, j int) int { return i*lda + j - i + kL }
	default:
		step := ld(n)
		length, at = (m-1)*step+n, func(i, j int) int { return i*step + j }
	}
	o := d.matrix(length, m, n, kL, kU, at, u)
	if diag, is := values["diag"].(blas.Diag); is && kind == "t" {
		o.triangular(d, diag, n, func(i int) int { return at(i, i) })
	}
	return o
}

// invoke calls the routine with the operands x, and with f(v) for each scalar v.
func (s signature) invoke(b blskernel.Backend, values arguments, x [][]float64, f func(float64) float64) (returned []float64) {
	if s.routine == "Dger" && b.Name() == "gonum" {
		// Its assembly takes negative increments from the wrong end (gonum v0.17.0).
		values = values.with()
		x = [][]float64{straight(x[0], values["m"].(int), values["incX"].(int)), straight(x[1], values["n"].(int), values["incY"].(int)), x[2]}
		values["incX"], values["incY"] = 1, 1
	}
	routine := s.on(b)
	var in []reflect.Value
	for i, name := range strings.Fields(s.params) {
		switch v := values[name]; routine.Type().In(i) {
		case reflect.TypeFor[[]float64]():
			in, x = append(in, reflect.ValueOf(x[0])), x[1:]
		case reflect.TypeFor[float64]():
			in = append(in, reflect.ValueOf(f(v.(float64))))
		default:
			in = append(in, reflect.ValueOf(v))
		}
	}
	for _, v := range routine.Call(in) {
		if v.CanInt() {
			returned = append(returned, float64(v.Int()))
		} else {
			returned = append(returned, v.Float())
		}
	}
	return returned
}

// straight returns a copy, with increment 1, of the n elements of a vector with increment inc.
func straight(x []float64, n, inc int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x[element(n, inc, i)]
	}
	return v
}

// special adds what is not in the table: for solutions their product with the triangle, and magnitudes
// that the routine on absolute values does not give.
//
// The solution x that a backend finds solves (T + E)x = b with |E| <= gamma_{n+2}·|T| (Higham, Accuracy
// and Stability of Numerical Algorithms, theorem 8.5, and a rounding more for a reciprocal and for
// alpha), so that it is within gamma·|T⁻¹||T||x| of the exact one, and |T⁻¹| <= M(T)⁻¹ (theorem 8.12).
func (s signature) special(c *call, values arguments) {
	rotated := func(next func(u, v float64) (float64, float64)) func(x [][]float64) {
		n, incX, incY := values["n"].(int), values["incX"].(int), values["incY"].(int)
		return func(x [][]float64) {
			for i := range n {
				u, v := &x[0][element(n, incX, i)], &x[1][element(n, incY, i)]
				*u, *v = next(*u, *v)
			}
		}
	}
	switch s.routine {
	case "Drot":
		cos, sin := math.Abs(values["cos"].(float64)), math.Abs(values["sin"].(float64))
		c.magnitude = rotated(func(u, v float64) (float64, float64) { return cos*u + sin*v, cos*v + sin*u })
	case "Drotm":
		// No element of H is larger than 2.
		c.magnitude = rotated(func(u, v float64) (float64, float64) { return 2 * (u + v), 2 * (u + v) })
	case "Dtrsv", "Dtbsv", "Dtpsv", "Dtrsm":
		if values["alpha"] == 0.0 {
			return
		}
		product, own := s, values.with()
		product.routine = strings.NewReplacer("sv", "mv", "sm", "mm").Replace(s.routine)
		if s.has("alpha") {
			own["alpha"] = 1.0
		}
		c.twin = func(b blskernel.Backend, x [][]float64) { product.invoke(b, own, x, identityOf) }
	case "DgemmTanh":
		// The error of a sum is not magnified, since |tanh'| <= 1, and every tanh errs by less
		// than 2 ulp of a number that is at most 1.
		c.absolute = 4 * 0x1p-52
		do, n, ldc := c.do, values["n"].(int), values["ldc"].(int)
		c.do = func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			return do(b, x, identityOf)
		}
		c.magnitude = func(x [][]float64) {
			sum, product := s, values.with(change{"beta", 0.0})
			sum.routine, sum.params = "Dgemm", "tA tB m n k alpha a lda b ldb beta c ldc"
			sum.invoke(reference(), product, [][]float64{x[0], x[1], x[3]}, math.Abs)
			for i := range values["m"].(int) {
				for j := range n {
					x[3][i*ldc+j] += x[2][j]
				}
			}
		}
	}
}
