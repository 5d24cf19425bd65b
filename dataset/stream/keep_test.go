package stream

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

// TestKeep keeps columns as text, whatever else they are, beside their own rows: with quotation marks
// and without, after bad rows and rows that are left out, and of an array.
func TestKeep(t *testing.T) {
	plain := "id,a,b,y\n 7 ,1,2,u\nx,oops,2,u\ny,3,,v\n,4,5,v\n"
	for name, tc := range map[string]struct {
		text    string
		opt     Options
		names   []string
		kept    []string
		samples int
	}{
		"plain":  {plain, Options{Keep: []string{"y", "id", "2"}}, []string{"y", "id", "a"}, []string{"u", "7", "1", "v", "", "4"}, 2},
		"quoted": {"id,a,b,y\n\"7, \"\"x\"\"\",1,2,u\nx,oops,2,u\ny,3,,v\n,4,5,v\n", Options{Keep: []string{"id"}}, []string{"id"}, []string{`7, "x"`, ""}, 2},
		"range":  {plain, Options{Keep: []string{"1-2"}}, []string{"id", "a"}, []string{"7", "1", "", "4"}, 2},
		"none":   {plain, Options{}, nil, nil, 2},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		testutil.NoError(t, os.WriteFile(path, []byte(tc.text), 0o666))
		tc.opt.Inputs, tc.opt.Targets, tc.opt.Classes, tc.opt.Missing = []string{"a", "b"}, []string{"y"}, true, MissingDrop
		tc.opt.Bad = func(*Error) error { return nil }
		r, err := Open(context.Background(), []string{path}, tc.opt)
		testutil.NoError(t, err)
		for _, rows := range []int{10, 1} {
			var kept []string
			samples := 0
			for {
				b, err := r.Next(rows)
				if errors.Is(err, io.EOF) {
					break
				}
				testutil.NoError(t, err)
				kept = append(kept, b.Kept...)
				samples += b.X.RawMatrix().Rows
				rest, aside := b.Split(func(i int) bool { return i == 0 })
				if n := len(b.Kept) / b.X.RawMatrix().Rows; rest != nil && n > 0 && !slices.Equal(slices.Concat(aside.Kept, rest.Kept), b.Kept) {
					t.Errorf("%s: %q and %q of %q", name, aside.Kept, rest.Kept, b.Kept)
				}
			}
			if !slices.Equal(r.Kept(), tc.names) || !slices.Equal(kept, tc.kept) || samples != tc.samples {
				t.Errorf("%s: %q, %q of %d rows", name, r.Kept(), kept, samples)
			}
			testutil.NoError(t, r.Close())
			r, err = Open(context.Background(), []string{path}, tc.opt)
			testutil.NoError(t, err)
		}
		testutil.NoError(t, r.Close())
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	testutil.NoError(t, os.WriteFile(path, append(npyHeader(1, "<f8", false, 2, 3), float64s(1, 2.5, 3, 4, 5, 6)...), 0o666))
	r, err := Open(context.Background(), []string{path}, Options{Keep: []string{"2", "1"}})
	testutil.NoError(t, err)
	defer r.Close()
	if b, err := r.Next(5); err != nil || !slices.Equal(b.Kept, []string{"2.5", "1", "5", "4"}) || !slices.Equal(r.Kept(), []string{"2", "1"}) || r.Dim() != 3 {
		t.Errorf("%q, %v", b.Kept, err)
	}
	if _, err := Open(context.Background(), []string{path}, Options{Keep: []string{"4"}}); err == nil {
		t.Error("a column that is not there was kept")
	}
}
