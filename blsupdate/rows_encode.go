package blsupdate

// code writes or reads rows, count of them with so many columns: how they are divided into blocks, which decides in
// which order later sums are formed, and then all of them in one stream.
func (r *rows) code(x *coder, what string, cols, count int) {
	if !x.reading() {
		x.w.Int(len(r.blocks))
		for i := range r.blocks {
			x.w.Int(r.rowsOf(i))
			x.w.Int(r.blocks[i].most)
		}
		for i := range r.blocks {
			x.floats(what, &r.blocks[i].data, len(r.blocks[i].data))
		}
		return
	}
	n := x.r.Int("the number of blocks of "+what, count)
	layout := x.r.Uint64s(2 * n)
	left := uint64(count)
	for i := 0; i < len(layout); i += 2 {
		n, most := layout[i], layout[i+1]
		if n == 0 || n > left {
			x.r.FailElement(i, "a block of %s cannot have %d rows of %d that are left", what, n, left)
			return
		}
		if most < n || most > mostElements {
			x.r.FailElement(i+1, "a block of %s with %d rows cannot take %d", what, n, most)
			return
		}
		left -= n
	}
	if left > 0 {
		x.r.Fail("the blocks of %s are %d rows short", what, left)
	}
	*r = rows{cols: cols, count: count}
	for ; len(layout) > 0 && !x.failed(); layout = layout[2:] {
		var b block
		x.floats(what, &b.data, int(layout[0])*cols)
		b.most = int(layout[1])
		r.blocks = append(r.blocks, b)
	}
}
