package qr

import (
	"math"

	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"
)

// rotateIn adds rows to R and z and overwrites them: each row j of R, from the first one down, is
// rotated with every one of them, so that their elements j become zero. No column of [R z; Ax Ya]
// changes its length, so that nothing overflows where lengths are bounded. (LINPACK: dchud, for one
// row.)
func RotateIn(triangle, right, ax, ya *mat.Dense) {
	q := dense.Rows(ax)
	for j := range dense.Rows(triangle) {
		r, z := triangle.RawRowView(j)[j:], right.RawRowView(j)
		i := 0
		for ; i+1 < q; i += 2 {
			x0, x1 := ax.RawRowView(i)[j:], ax.RawRowView(i + 1)[j:]
			cos0, sin0 := zeroing(&r[0], x0[0])
			cos1, sin1 := zeroing(&r[0], x1[0])
			rotateTwice(cos0, sin0, cos1, sin1, x0[1:], x1[1:], r[1:])
			rotateTwice(cos0, sin0, cos1, sin1, ya.RawRowView(i), ya.RawRowView(i+1), z)
		}
		if i < q {
			x := ax.RawRowView(i)[j:]
			cos, sin := zeroing(&r[0], x[0])
			rotate(cos, sin, x[1:], r[1:])
			rotate(cos, sin, ya.RawRowView(i), z)
		}
	}
}

// zeroing returns the cosine and the sine with which rotate makes x zero and y its new value, the
// length of (x, y).
func zeroing(y *float64, x float64) (cos, sin float64) {
	if x == 0 {
		return 1, 0
	}
	length := math.Hypot(x, *y)
	cos, sin = *y/length, -x/length
	*y = length
	return cos, sin
}
