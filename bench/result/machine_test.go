package result

import (
	"bytes"
	"slices"
	"testing"

	"blskernel/bench"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// TestJoined joins what three commands wrote, of which the last went on with the table of the second:
// every line is with its own machine again.
func TestJoined(t *testing.T) {
	var b bytes.Buffer
	row := func(step int) bench.TableRow { return bench.TableRow{Table: 2, Seed: 1, Step: step} }
	put(t, &b, "cost", bench.Cost{Method: "of nobody"})
	put(t, &b, "machine", Machine{CPU: "a"})
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 1})
	put(t, &b, "machine", Machine{CPU: "b"})
	put(t, &b, "table", bench.TableHead{PaperTable: bench.PaperTable{Table: 2}, Seeds: []uint64{1}})
	put(t, &b, "row", row(0))
	put(t, &b, "cost", bench.Cost{Method: "qr"})
	put(t, &b, "machine", Machine{CPU: "c"})
	put(t, &b, "row", row(1), row(2))
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 2})
	put(t, &b, "flops", bench.FlopsCase{Q: 3})

	f, err := Read("x", &b)
	testutil.NoError(t, err)
	var got []string
	for _, m := range f.Machines {
		got = append(got, m.CPU)
	}
	for _, c := range f.Costs {
		got = append(got, c.Value.Method+" on "+c.Machine.CPU)
	}
	for _, c := range f.Cells {
		got = append(got, c.Value.Cell()+" on "+c.Machine.CPU)
	}
	got = append(got, f.Flops[0].Machine.CPU, f.Tables[0].Machine.CPU)
	want := []string{"a", "b", "c", "of nobody on ", "qr on b", "1 on a", "2 on c", "c", "b"}
	if !slices.Equal(got, want) || len(f.Tables[0].Rows) != 3 {
		t.Errorf("%q; want %q", got, want)
	}
}
