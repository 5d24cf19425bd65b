package interrupt

import (
	"context"
	"errors"
	"slices"
	"testing"

	"blskernel/internal/testutil/faults"
)

func TestEachPanel(t *testing.T) {
	for _, tc := range []struct {
		rows, most int
		want       []int
	}{
		{0, 3, nil}, {1, 3, []int{0, 1}}, {3, 3, []int{0, 3}}, {7, 3, []int{0, 3, 3, 6, 6, 7}},
	} {
		panels := len(tc.want) / 2
		for looks := range panels + 1 {
			var got []int
			err := EachPanel(faults.CanceledAfter(looks), tc.rows, tc.most, func(from, to int) error {
				got = append(got, from, to)
				return nil
			})
			if done := looks >= panels; done != (err == nil) || !done && !errors.Is(err, context.Canceled) {
				t.Errorf("%d rows by %d, canceled after %d looks: %v", tc.rows, tc.most, looks, err)
			}
			if !slices.Equal(got, tc.want[:2*looks]) {
				t.Errorf("%d rows by %d, canceled after %d looks: panels %v", tc.rows, tc.most, looks, got)
			}
		}
	}
	broken := errors.New("broken")
	calls := 0
	err := EachPanel(context.Background(), 10, 1, func(int, int) error {
		if calls++; calls == 3 {
			return broken
		}
		return nil
	})
	if err != broken || calls != 3 {
		t.Errorf("an error of the third call: %d calls, %v", calls, err)
	}
}

func TestCheckCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := Check(ctx); err != nil {
		t.Error(err)
	}
	key := errors.New("the user pressed a key")
	cancel(key)
	if err := Check(ctx); !errors.Is(err, key) || err.Error() != "stopped before the end: the user pressed a key" {
		t.Errorf("%v does not wrap the cause", err)
	}
}
