package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestAnyName checks that names of data and models need not be UTF-8, and that a run resumes only from
// data of the same names.
func TestAnyName(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "caf\xe9.csv"), filepath.Join(dir, "m\xff.bls")
	if err := os.WriteFile(data, []byte(csvText(samples(300, 1), true, "a", "b", "color")), 0o666); err != nil {
		t.Skip("the file system has no such names: ", err)
	}
	twin := filepath.Join(dir, "caf\xe8.csv")
	testutil.NoError(t, os.Link(data, twin))
	train := small("--target", "color", "--out", model, data)
	succeed(t, train...)
	before := state(t, model)
	testutil.NoError(t, os.Remove(model))
	train = append(train, "--checkpoint", "100")
	if status, _, stderr := interruptedAfter(1, os.Interrupt, train...); status != 130 {
		t.Fatal(status, stderr)
	}
	status, _, stderr := inProcess(small("--target", "color", "--out", model, twin, "--checkpoint", "100", "--resume")...)
	if status == 0 || !strings.Contains(stderr, `the data was "caf\\xe9.csv", but is now "caf\\xe8.csv"`) {
		t.Errorf("another file: status %d, %s", status, stderr)
	}
	succeed(t, append(train, "--resume")...)
	if string(state(t, model)) != string(before) {
		t.Error("resumed, it is another model")
	}
	other := filepath.Join(dir, "\xfe.csv")
	testutil.NoError(t, os.WriteFile(other, []byte(csvText(samples(50, 2), true, "a", "b", "color")), 0o666))
	succeed(t, "update", model, "--out", filepath.Join(dir, "u.bls"), other)
	succeed(t, "train", "--like", model, "--out", filepath.Join(dir, "l.bls"), other)
}

// TestRefusedBefore checks that a run that must fail at its end fails before it reads a bad row.
func TestRefusedBefore(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	model, _ := trained(t, "--target", "color")
	dir := filepath.Dir(model)
	head := csvText(samples(100, 1), true, "a", "b", "c", "d", "color", "w")
	bad := writeText(t, dir, strings.Repeat("b", 240)+".csv", head+"x,x,x,x,x,1\n")
	weights := writeText(t, dir, "weights.csv", strings.Replace(head, "w\n", "\xff\n", 1)+strings.Repeat("1,2,3,4,red,1\n", 300)+"x,x,x,x,x,1\n")
	good := writeText(t, dir, "good.csv", "a,b,c,d,color,\xff\n"+strings.Repeat("1,2,3,4,red,1\n", 20))
	succeed(t, "train", "--like", model, "--weight", "\xff", "--out", filepath.Join(dir, "l.bls"), good)
	succeed(t, "update", model, "--weight", "\xff", "--out", filepath.Join(dir, "u.bls"), good)
	file, err := modelfile.Load(model, nil)
	testutil.NoError(t, err)
	file.Metadata.Log = nil                                                                        // the log is cut to make room
	for n := 1 << 20; file.Metadata.Notes["long"] == "" || file.Metadata.Check() != nil; n -= 50 { // no room for another file
		file.Metadata.Notes["long"] = strings.Repeat("x", n)
	}
	full := filepath.Join(dir, "full.bls")
	testutil.NoError(t, modelfile.Save(full, file))
	locked := filepath.Join(dir, "locked.bls")
	testutil.NoError(t, modelfile.Save(locked, file))
	testutil.NoError(t, os.Chmod(locked, 0o444))
	for _, tc := range []struct {
		epoch, want string
		args        []string
	}{
		{"", "locked.bls cannot be written", []string{"update", locked, bad}},
		{"", "locked.bls cannot be written", small("--target", "color", "--out", locked, bad)},
		{"soon", "SOURCE_DATE_EPOCH", []string{"update", model, bad}},
		{"253402300800", "SOURCE_DATE_EPOCH", []string{"remove", model, bad}},
		{"", "bytes as JSON", []string{"update", full, bad}},
		{"", "is not UTF-8", small("--target", "color", "--weight", "\xff", "--out", filepath.Join(dir, "n.bls"), weights)},
	} {
		t.Setenv("SOURCE_DATE_EPOCH", tc.epoch)
		if status, _, stderr := inProcess(tc.args...); status == 0 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: status %d, %s", tc.args, status, stderr)
		}
	}
	// Indicators of missing cells would need the long names twice.
	names := "y," + strings.Repeat("a", 300000) + "," + strings.Repeat("b", 300000) + "\n"
	wide := writeText(t, dir, "wide.csv", names+strings.Repeat("1,1,1\n1,2,2\n1,3,3\n2,,\n", 20))
	succeed(t, small("--target", "y", "--out", filepath.Join(dir, "w.bls"), wide)...)
}
