package blsupdate

// code writes or reads rows, count of them with so many columns: how they are divided into blocks, which decides in
// which order later sums are formed, and then all of them in one stream.
func (r *rows) code(x *coder, what string, cols, count int) {
	layout := make([]uint64, 0, 2*len(r.blocks))
	for i, b := range r.blocks {
		layout = append(layout, uint64(r.rowsOf(i)), uint64(b.most))
	}
	n := len(r.blocks)
	x.int("the number of blocks of "+what, &n, count)
	x.words("sizes of blocks", &layout, 2*n)
	if checkLayout(x, what, layout, count); x.failed() {
		return
	}
	if x.reading() {
		*r = rows{cols: cols, count: count}
	}
	for i := 0; len(layout) > 0 && !x.failed(); i, layout = i+1, layout[2:] {
		if x.reading() {
			r.blocks = append(r.blocks, rowBlock{most: int(layout[1])})
		}
		x.floats(what, &r.blocks[i].data, int(layout[0])*cols)
	}
}

// checkLayout refuses blocks, given by their rows and the rows that they take, that are not those of count rows.
func checkLayout(x *coder, what string, layout []uint64, count int) {
	left := uint64(count)
	for i := 0; i < len(layout); i += 2 {
		n, most := layout[i], layout[i+1]
		if n == 0 || n > left {
			x.failElement(i, "a block of %s cannot have %d rows of %d that are left", what, n, left)
			return
		}
		if most < n || most > mostElements {
			x.failElement(i+1, "a block of %s with %d rows cannot take %d", what, n, most)
			return
		}
		left -= n
	}
	x.check(left == 0, "the blocks of %s are %d rows short", what, left)
}
