package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestTerminal puts control characters into every text of a model. No command prints them except
// escaped, or as CSV and JSON.
func TestTerminal(t *testing.T) {
	const evil = "\x1b[2J\u202e\u0085\x7f"
	path, _ := trained(t, "--target", "color")
	dir := filepath.Dir(path)
	save := func(name string, notes map[string]string, done bool) string {
		f, err := modelfile.Load(path, nil)
		testutil.NoError(t, err)
		m := &f.Metadata
		m.Software += evil
		for _, names := range [][]string{m.Inputs, m.Classes, m.Targets} {
			for i := range names {
				names[i] += evil
			}
		}
		m.Exclude, m.Columns, m.Missing = []string{evil}, nil, ""
		for i := range m.Learned {
			m.Learned[i].Name += evil
		}
		for key, text := range notes {
			m.Notes[key] = text
		}
		m.Progress.Sources, m.Progress.Done = []string{evil}, done
		name = filepath.Join(dir, name)
		testutil.NoError(t, modelfile.Save(name, f))
		return name
	}
	whole := save("whole.bls", map[string]string{"weight": evil, "command": evil, "settings": evil}, true)
	half := save("half.bls", map[string]string{"once": evil}, false)
	head := "a" + evil + ",b" + evil + ",c" + evil + ",d" + evil + ",color" + evil + "\n"
	rows := "1,2,3,4,green" + evil + "\n"
	good := writeText(t, dir, "good"+evil+".csv", head+strings.Repeat(rows, 60))
	new := writeText(t, dir, "new.csv", head+strings.Repeat(rows, 60)+"1,2,3,4,new"+evil+"\n")
	bad := writeText(t, dir, "bad.csv", head+rows+"1,2,3,x"+evil+",green\n")
	other := writeText(t, dir, "other.csv", "x,y\n1,2\n")
	out := filepath.Join(dir, "o.bls")
	for _, args := range [][]string{
		{"inspect", whole}, {"inspect", half}, {"inspect", path + evil}, {"evaluate", whole, good}, {"evaluate", half, good}, {"evaluate", whole, new},
		{"update", whole, "--again", "--verbose", "--out", out, good}, {"update", whole, "--out", out, new}, {"update", whole, bad}, {"update", half, good},
		{"update", whole, "--skip-bad", "9", "--out", out, bad}, {"update", half, "--resume", good}, {"update", whole, "--known-labels", new}, {"update", whole, other},
		{"train", "--like", whole, "--out", out, good}, small("--target", "color"+evil, "--out", out, good), small("--target", evil, "--out", out, good),
		{"remove", whole, "--out", out, good}, {"merge", "--out", out, whole, half}, {"merge", "--out", out, whole, whole},
		{"export", whole, "--out", filepath.Join(dir, "w"+evil+".npz")}, {"predict", whole, "--out", filepath.Join(dir, "p.csv"), bad}, {"predict", whole, other}, {evil}, {"help", evil},
	} {
		_, stdout, stderr := inProcess(args...)
		for _, r := range stdout + stderr {
			if r != '\n' && !strconv.IsPrint(r) {
				t.Errorf("%.60q prints %q: %q", args, r, stdout+stderr)
				break
			}
		}
	}
	succeed(t, "update", whole, "--again", "--out", out, good)
	if m, err := modelfile.Load(out, nil); err != nil || strings.Contains(m.Metadata.Software, evil) {
		t.Errorf("the program that wrote the last file is not named: %v", err)
	}
}
