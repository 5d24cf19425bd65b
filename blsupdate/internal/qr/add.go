package qr

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/backend"
	"blskernel/lapack"
	"blskernel/mat"
)

// Add reduces [R z; Ax Ya] to [R' z'; 0 rest], in copies of R and z where ctx may end it in between.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q, r, z := dense.Rows(ax), s.R, s.Z
	size, err := bounded(s.Size.With(ax, ya))
	if err != nil {
		return out, err
	}
	if state.ManyPanels(ctx, q) {
		r, z = dense.Copy(r), dense.Copy(z)
	}
	if err := s.learn(ctx, r, z, ax, ya); err != nil {
		return out, err
	}
	s.R, s.Z, s.Size, s.w = r, z, size, nil
	s.Count += q
	out.Model = cost.QRAdd(q, s.K, s.C)
	return out, nil
}

// learn adds rows that are small enough to R and z, panel by panel.
func (s *State) learn(ctx context.Context, r, z, ax, ya *mat.Dense) error {
	q := dense.Rows(ax)
	rotations := cost.AddsByRotations(q, s.K)
	return state.EachPanel(ctx, q, func(from, to int) error {
		s.Counter.Enter(cost.StepTriangle)
		x, y := dense.RowRange(ax, from, to), dense.Copy(dense.RowRange(ya, from, to))
		if rotations {
			backend.Begin(s.Counter, cost.Operation{Kind: cost.Chud, M: to - from, N: s.K, K: s.C}.Routine())
			RotateIn(r, z, dense.Copy(x), y)
		} else {
			mustNotFail(lapack.AppendRows(s.Counter, r, z, x, y))
		}
		return nil
	})
}

// RotateIn adds rows to R and z and overwrites them. Each row j of R, from the first one down, is
// rotated with every one of them, so that their elements j become zero. No column of [R z; Ax Ya]
// changes its length. LINPACK's dchud does so for one row.
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

// zeroing returns the rotation that makes x zero, and replaces y by the length of (x, y).
func zeroing(y *float64, x float64) (cos, sin float64) {
	if x == 0 {
		return 1, 0
	}
	length := math.Hypot(x, *y)
	cos, sin = *y/length, -x/length
	*y = length
	return cos, sin
}
