package pseudoinverse

import "blskernel/internal/io/codec"

// Code writes or reads A⁺, W, the keys and targets of the samples if known, and A if C is computed.
func (u *State) Code(x *codec.Coder) {
	l := x.Samples
	x.Int("the rank", &u.rank, u.K)
	x.Float("the norm of A", &u.norm, codec.NotNegative)
	x.Float("the largest norm of A", &u.worst.a, codec.NotNegative)
	x.Float("the largest norm of A+", &u.worst.plus, codec.NotNegative)
	x.Int("the power of κ", &u.worst.power, 2)
	x.Check(u.worst.power > 0, "the power of κ is 0; want 1 or 2")
	x.Float("the drift of the errors of A+", &u.drift, codec.NotNegative)
	u.size.Code(x, u.K, u.C)
	x.Lengths("the largest norm of a row of A+", &u.reach, u.K)
	x.Lengths("the largest norm of a column of W", &u.largest, u.C)
	u.prior.code(x, u.C)
	x.Bool(&u.doubt)
	x.Dense("W", &u.w, u.K, u.C)
	u.codeKnown(x)
	u.p.code(x, "A+", u.K, l)
	if u.computesC() {
		u.a.code(x, "A", u.K, l)
	} else if x.Reading() {
		u.a = rows{cols: u.K}
	}
}

// Codes for what a state stores of its samples. The code 1 is not used.
const (
	unknown  = 0
	keysAndY = 2 // hashes of the rows of A, and Y
)

func (u *State) codeKnown(x *codec.Coder) {
	known := unknown
	if u.keys != nil {
		known = keysAndY
	}
	x.Int("the code for the stored sample data", &known, keysAndY)
	x.Check(known == unknown || known == keysAndY, "the code for the stored sample data is %d; want 0 or 2", known)
	if x.Reading() {
		u.y.cols = u.C
	}
	if known == keysAndY {
		x.Words("keys", &u.keys, x.Samples)
		u.y.code(x, "Y", u.C, x.Samples)
	}
}

// code writes or reads count rows of cols elements: first their division into blocks, then the rows.
func (r *rows) code(x *codec.Coder, what string, cols, count int) {
	layout := make([]uint64, 0, 2*len(r.blocks))
	for i, b := range r.blocks {
		layout = append(layout, uint64(r.rowsOf(i)), uint64(b.capacity))
	}
	n := len(r.blocks)
	x.Int("the number of blocks of "+what, &n, count)
	x.Words("sizes of blocks", &layout, 2*n)
	if checkLayout(x, what, layout, count); x.Failed() {
		return
	}
	if x.Reading() {
		*r = rows{cols: cols, count: count}
	}
	for i := 0; len(layout) > 0 && !x.Failed(); i, layout = i+1, layout[2:] {
		if x.Reading() {
			r.blocks = append(r.blocks, rowBlock{capacity: int(layout[1])})
		}
		x.Floats(what, &r.blocks[i].data, int(layout[0])*cols)
	}
}

// checkLayout fails x unless the blocks in layout, pairs of a number of rows and a capacity, are valid
// and have count rows in total. The name of the matrix in errors is what.
func checkLayout(x *codec.Coder, what string, layout []uint64, count int) {
	left := uint64(count)
	for i := 0; i < len(layout); i += 2 {
		n, capacity := layout[i], layout[i+1]
		if n == 0 || n > left {
			x.FailElement(i, "a block of %s has row count %d; rows left: %d", what, n, left)
			return
		}
		if capacity < n || capacity > codec.MaxElements {
			x.FailElement(i+1, "a block of %s with row count %d cannot have a capacity of %d", what, n, capacity)
			return
		}
		left -= n
	}
	x.Check(left == 0, "the blocks of %s lack %d rows in total", what, left)
}
