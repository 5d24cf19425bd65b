package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blskernel/bls/modelfile"
)

// kills returns how many processes the tests of this file kill: 20, or 200 if BLSKERNEL_LONG is set.
func kills() int {
	if os.Getenv("BLSKERNEL_LONG") != "" {
		return 200
	}
	return 20
}

// killed runs the command as a process and kills it after the given time, unless it has ended before.
// It returns what it wrote to standard output and whether it was killed.
func killed(t *testing.T, after time.Duration, args ...string) (stdout string, was bool) {
	t.Helper()
	cmd := command(t, nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%q: %v, stderr %q", args, err, errs.String())
		}
		return out.String(), false
	case <-time.After(after):
		_ = cmd.Process.Kill() // it may have ended at this moment
		return out.String(), <-ended != nil
	}
}

// loaded returns the number of samples of a model that must be readable.
func loaded(t *testing.T, path string) (samples int) {
	t.Helper()
	f, err := modelfile.Load(path, nil)
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	return f.Classifier.Updater().Samples()
}

// kinds are models with states of all kinds, with the flags that train them.
var kinds = map[string][]string{
	"gram":             {"--method", "gram"},
	"qr":               {"--method", "qr"},
	"ridge-inverse":    {"--method", "ridge-inverse"},
	"inverse-cholesky": {"--method", "inverse-cholesky"},
	"improved":         {"--method", "improved", "--lambda", "2^-30"},
	"original":         {"--method", "original", "--lambda", "2^-30"},
}

// TestKillUpdate kills updates at random moments. After each the model can be read, and has what it had
// before or all rows of the update; what was acknowledged it has. In the end it is to the bit the model
// that learned the same updates in peace.
func TestKillUpdate(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for method, flags := range kinds {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, "a", "b", "c", "d", "color"))
			const rows = 40
			more := writeText(t, dir, "more.csv", csvText(samples(rows, 2), true, "a", "b", "c", "d", "color"))
			model, peaceful := filepath.Join(dir, "m.bls"), filepath.Join(dir, "peace.bls")
			train := small(append(flags, "--target", "color", "--groups", "4", "--enhancement", "60", "--out", model, data)...)
			peacefully(t, train...)
			text, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(peaceful, text, 0o666); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			peacefully(t, "update", peaceful, more)
			whole := time.Since(begun)
			learned := loaded(t, peaceful)
			have := learned - rows
			for n, done := 0, 0; done < (kills()+len(kinds)-1)/len(kinds); n++ {
				stdout, was := killed(t, time.Duration(1.2*random.Float64()*float64(whole)), "update", model, more)
				acknowledged := strings.Contains(stdout, fmt.Sprintf("learned %d rows", rows))
				switch now := loaded(t, model); {
				case now == have+rows:
					have = now
				case now != have:
					t.Fatalf("%d samples; want %d or %d", now, have, have+rows)
				case acknowledged || !was:
					t.Fatalf("an acknowledged update is lost: %q", stdout)
				}
				if was {
					done++
				}
			}
			for loaded(t, peaceful) < loaded(t, model) {
				peacefully(t, "update", peaceful, more)
			}
			for loaded(t, model) < loaded(t, peaceful) {
				peacefully(t, "update", model, more)
			}
			peacefully(t, "update", peaceful, more) // one at least comes after the last kill, and clears up
			peacefully(t, "update", model, more)
			if !bytes.Equal(state(t, peaceful), state(t, model)) {
				t.Error("the model is not that of the same updates in peace")
			}
			entries, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(entries) != 0 {
				t.Errorf("%v is left (%v)", entries, err)
			}
		})
	}
}

// peacefully runs the command as a process that is not killed, so that all have the same backend.
func peacefully(t *testing.T, args ...string) {
	t.Helper()
	if status, _, stderr := process(t, nil, args...); status != 0 {
		t.Fatalf("%q: status %d, stderr %q", args, status, stderr)
	}
}

// TestKillCheckpoints kills an update with checkpoints again and again, until it gets to the end by
// --resume: the result is to the bit that of an update that was never stopped, and no checkpoint that
// was acknowledged is lost.
func TestKillCheckpoints(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, "a", "b", "c", "d", "color"))
	more := writeText(t, dir, "more.csv", csvText(samples(4000, 2), true, "a", "b", "c", "d", "color"))
	model, peaceful := filepath.Join(dir, "m.bls"), filepath.Join(dir, "peace.bls")
	for _, path := range []string{model, peaceful} {
		peacefully(t, small("--target", "color", "--out", path, data)...)
	}
	peacefully(t, "update", peaceful, more)
	least := 200
	for n := 0; ; n++ {
		if n > 1000 {
			t.Fatal("it does not get to the end")
		}
		stdout, was := killed(t, time.Duration(20+random.IntN(100))*time.Millisecond, "update", model, "--checkpoint", "50", "--resume", more)
		for line := range strings.Lines(stdout) {
			var rows int
			if _, text, ok := strings.Cut(line, "   checkpoint after "); ok {
				if _, err := fmt.Sscanf(text, "%d rows", &rows); err == nil {
					least = max(least, 200+rows)
				}
			}
		}
		if now := loaded(t, model); now < least || (now-200)%50 != 0 {
			t.Fatalf("%d samples; want at least the %d that were acknowledged, in batches of 50", now, least)
		}
		if !was {
			break
		}
	}
	if !bytes.Equal(state(t, model), state(t, peaceful)) {
		t.Error("the update that was killed has another result")
	}
}
