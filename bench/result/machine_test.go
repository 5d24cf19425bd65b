package result

import (
	"bytes"
	"testing"

	"blskernel/bench"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// TestParts joins what three commands wrote, of which the last went on with the table of the second:
// every line is with its own machine again.
func TestParts(t *testing.T) {
	var b bytes.Buffer
	row := func(step int) bench.TableRow { return bench.TableRow{Table: 2, Seed: 1, Step: step} }
	put(t, &b, "cost", bench.Cost{Method: "of nobody"})
	put(t, &b, "machine", Machine{CPU: "a"})
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 1})
	put(t, &b, "machine", Machine{CPU: "b"})
	put(t, &b, "table", bench.TableHead{Table: 2, Seeds: []uint64{1}})
	put(t, &b, "row", row(0))
	put(t, &b, "cost", bench.Cost{Method: "qr"})
	put(t, &b, "machine", Machine{CPU: "c"})
	put(t, &b, "row", row(1), row(2))
	put(t, &b, "cell", speed.Result{Op: "dgemm", N: 2})
	put(t, &b, "cost", bench.Cost{Method: "gram"})
	put(t, &b, "flops", bench.FlopsCase{Q: 3})
	put(t, &b, "agreement", Agreement{Backend: "pure"})

	f, err := Read("x", &b)
	testutil.NoError(t, err)
	parts := f.Parts()
	if len(parts) != 4 {
		t.Fatalf("%d parts", len(parts))
	}
	for i, want := range []struct {
		cpu                 string
		flops, cells, costs int
	}{{"", 0, 0, 1}, {"a", 0, 1, 0}, {"b", 0, 0, 1}, {"c", 1, 1, 1}} {
		p := parts[i]
		if len(p.Flops) != want.flops || len(p.Cells) != want.cells || len(p.Costs) != want.costs {
			t.Errorf("part %d is %+v; want %+v", i, p, want)
		}
		if p.Name != "x" || want.cpu == "" != (len(p.Machines) == 0) || want.cpu != "" && (len(p.Machines) != 1 || p.Machines[0].CPU != want.cpu) {
			t.Errorf("part %d is of %+v; want %q", i, p.Machines, want.cpu)
		}
	}
	table := f.Tables[0]
	if len(table.Rows) != 3 || table.Machine.CPU != "b" {
		t.Errorf("the table has %d rows, of %q", len(table.Rows), table.Machine.CPU)
	}
	if parts[1].Cells[0].N != 1 || parts[3].Cells[0].N != 2 || parts[0].Costs[0].Method != "of nobody" || parts[3].Costs[0].Method != "gram" {
		t.Error("lines are in other parts")
	}
	if n := len((&File{}).Parts()); n != 0 {
		t.Errorf("an empty file has %d parts", n)
	}
}

// TestConditions changes one thing after another, and those on which times do not depend.
func TestConditions(t *testing.T) {
	here := Machine{CPU: "a", GOMAXPROCS: 2, Go: "go1 x/y", Backends: []string{"pure", "openblas"}, Kernel: "avx2", OpenBLAS: "0.3", Threads: []int{1, 2}}
	same := here
	same.Command, same.Version, same.Features = "another", "v2", []string{"FMA"}
	if here.Conditions() != same.Conditions() {
		t.Errorf("%+v and %+v differ", here, same)
	}
	for i, change := range []func(*Machine){
		func(m *Machine) { m.CPU = "b" },
		func(m *Machine) { m.GOMAXPROCS = 4 },
		func(m *Machine) { m.Go = "go2 x/y" },
		func(m *Machine) { m.Backends = []string{"pure"} },
		func(m *Machine) { m.Kernel = "" },
		func(m *Machine) { m.OpenBLAS = "0.4" },
		func(m *Machine) { m.Threads = []int{2} },
		func(m *Machine) { m.Beside = 1 },
	} {
		other := here
		change(&other)
		if here.Conditions() == other.Conditions() {
			t.Errorf("change %d makes no difference", i)
		}
	}
}
