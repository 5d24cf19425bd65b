//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestHere runs Prism in the process of the command, with workers in it and with worker processes that
// it or Prism starts, and Beam's direct runner, which is no job service.
func TestHere(t *testing.T) {
	p := newProblem(t)
	config := fmt.Sprintf(`{"command": %q}`, os.Args[0])
	for name, flags := range map[string][]string{
		"prism": {"--workers", "1"}, "workers": {"--workers", "3", "--verbose"}, "direct": {"--runner", "direct"},
		"process": {"--workers=2", "--environment_type=PROCESS", "--environment_config=" + config},
	} {
		t.Run(name, func(t *testing.T) {
			out := p.out(t)
			r := reported(t, runCommand(t, p.args(out, append(flags, "--method=qr")...)...))
			p.check(t, blsupdate.QR, out)
			if r.Rows != shardCount*shardRows || r.Attempts != 1 {
				t.Errorf("the report is %+v", r)
			}
		})
	}
}

// TestBad sets rows and files aside, and writes which.
func TestBad(t *testing.T) {
	p := newProblem(t)
	const header, good, wrong = "x0,x1,x2,x3,class\n", "1,2,3,4,inside\n", "1,2,none,4,inside\n"
	for shard, text := range map[int]string{
		3: header + good + wrong + strings.Repeat(good, 6) + wrong, 5: header + "1,2,3,4,beside\n", 7: "x0,x1\n1,2\n",
	} {
		testutil.NoError(t, os.WriteFile(p.shard(shard), []byte(text), 0o666))
	}
	out, bad := p.out(t), filepath.Join(t.TempDir(), "bad.txt")
	end := runCommand(t, p.args(out, "--workers=2")...)
	if end.status != exitFailure || !strings.Contains(end.err, p.shard(3)) && !strings.Contains(end.err, p.shard(5)) || strings.Count(end.err, "\n") != 1 {
		t.Errorf("status %d, and standard error has\n%s", end.status, end.err)
	}
	r := reported(t, runCommand(t, p.args(out, "--workers=2", "--skip-bad=4", "--bad-out", bad)...))
	if r.Bad != 4 || r.BadFiles != 1 || r.Rows != (shardCount-3)*shardRows+7 {
		t.Errorf("the report is %+v", r)
	}
	text, err := os.ReadFile(bad)
	testutil.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, begins := range []string{p.shard(3) + ":3: ", p.shard(3) + ":10: ", p.shard(5) + ":2: ", p.shard(7) + ": "} {
		if len(lines) != 5 || !strings.HasPrefix(lines[i], begins) {
			t.Fatalf("what was set aside is\n%s", text)
		}
	}
	if end := runCommand(t, p.args(out, "--skip-bad=3")...); end.status != exitFailure || !strings.Contains(end.err, "the limit is 3") {
		t.Errorf("status %d, and standard error has\n%s", end.status, end.err)
	}
}
