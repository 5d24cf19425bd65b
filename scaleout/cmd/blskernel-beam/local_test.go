//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/blsupdate"
)

// TestHere runs Prism in the process of the command, with workers in it, and with worker processes that
// it starts.
func TestHere(t *testing.T) {
	p := newProblem(t)
	for _, workers := range []string{"1", "3"} {
		t.Run(workers, func(t *testing.T) {
			out := p.out(t)
			r := reported(t, runCommand(t, p.args(out, "--workers", workers, "--method=qr")...))
			p.check(t, blsupdate.QR, out)
			if r.Rows != shardCount*shardRows || r.Runner != "prism" {
				t.Errorf("the report is %+v", r)
			}
		})
	}
}

// TestProcessEnvironment lets Prism start the workers.
func TestProcessEnvironment(t *testing.T) {
	p := newProblem(t)
	out := p.out(t)
	config := fmt.Sprintf(`{"command": %q}`, os.Args[0])
	r := reported(t, runCommand(t, p.args(out, "--workers=2", "--environment_type=PROCESS", "--environment_config="+config)...))
	p.check(t, blsupdate.Gram, out)
	if r.Rows != shardCount*shardRows {
		t.Errorf("the report is %+v", r)
	}
}

// TestBad sets rows and files aside, and writes which.
func TestBad(t *testing.T) {
	p := newProblem(t)
	for shard, text := range map[int]string{3: "x0,x1,x2,x3,class\n1,2,3,4,inside\n1,2,none,4,inside\n", 5: "x0,x1,x2,x3,class\n1,2,3,4,beside\n"} {
		if err := os.WriteFile(p.shard(shard), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, bad := p.out(t), filepath.Join(t.TempDir(), "bad.txt")
	end := runCommand(t, p.args(out, "--workers=2")...)
	if end.status != exitFailure || !strings.Contains(end.err, p.shard(3)) && !strings.Contains(end.err, p.shard(5)) || strings.Count(end.err, "\n") != 1 {
		t.Errorf("status %d, and standard error has\n%s", end.status, end.err)
	}
	r := reported(t, runCommand(t, p.args(out, "--workers=2", "--skip-bad=2", "--bad-out", bad)...))
	if r.Bad != 2 || r.Rows != (shardCount-2)*shardRows+1 {
		t.Errorf("the report is %+v", r)
	}
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], p.shard(3)+": line 3, ") || !strings.Contains(lines[1], p.shard(5)+": line 2: ") || lines[2] != "" {
		t.Errorf("what was set aside is\n%s", text)
	}
	if end := runCommand(t, p.args(out, "--skip-bad=1")...); end.status != exitFailure || !strings.Contains(end.err, "at most 1 may be set aside") {
		t.Errorf("status %d, and standard error has\n%s", end.status, end.err)
	}
}
