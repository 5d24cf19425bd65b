package bls

import (
	"context"

	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// scores returns A W (l×c) for the samples x (l×d), with the intercept where there is one. It works in
// panels of rows, before each of which it looks at ctx: 8·l·c bytes for the result, and some 10 MB
// whatever l is.
//
// It reads the model and, under its lock, fills in the weights, so that it may run on several
// goroutines at once as long as add does not. On a nil model it returns ErrNotFitted.
func (m *model) scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if m == nil {
		return nil, ErrNotFitted
	}
	if err := checkSamples(x, m.inputs()); err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	w, err := m.currentWeights()
	if err != nil {
		return nil, err
	}
	l, d := x.Dims()
	k, c := w.Dims()
	out := mat.NewDense(l, c, nil)
	rows := min(l, panelRows(max(d+1, k)))
	work := m.newRows(rows)
	err = interrupt.EachPanel(ctx, l, rows, func(from, to int) error {
		a := work.Slice(0, to-from, 0, k).(*mat.Dense)
		if err := m.expand(ctx, a, x.Slice(from, to, 0, d).(*mat.Dense)); err != nil {
			return atRow(err, from)
		}
		mat.Mul(m.backend, out.Slice(from, to, 0, c).(*mat.Dense), a, w)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.center != nil {
		for i := range l {
			row := out.RawRowView(i)
			for j, v := range m.center {
				row[j] += v
			}
		}
	}
	if i := firstNotFinite(out); i >= 0 {
		return nil, &OverflowError{What: "the prediction", Row: i, Col: -1}
	}
	return out, nil
}

// atRow returns err, where it is about a row, for samples that begin at another row.
func atRow(err error, from int) error {
	if e, ok := err.(*OverflowError); ok && e.Row >= 0 {
		moved := *e
		moved.Row += from
		return &moved
	}
	return err
}
