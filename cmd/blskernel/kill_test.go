package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// kills returns how many processes the tests of this file kill: 20, or 200 with BLSKERNEL_LONG=1.
func kills() int {
	if testutil.Long() {
		return 200
	}
	return 20
}

// momentSeed returns the seed of the random moments of a test, another one each time unless
// BLSKERNEL_SEED has one, and logs it. The same moments are those of the same work only as far as
// processes take the same time.
func momentSeed(t *testing.T) uint64 {
	t.Helper()
	const variable = "BLSKERNEL_SEED"
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(variable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the moments are those of %s=%d", variable, seed)
	return seed
}

// killed runs the command as a process and kills it after the given time, unless it has ended before.
// It returns what it wrote to standard output and whether it was killed.
func killed(t *testing.T, after time.Duration, args ...string) (stdout string, was bool) {
	t.Helper()
	cmd := command(nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	testutil.NoError(t, cmd.Start())
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
		err := <-ended         // until when what it wrote still comes
		return out.String(), err != nil
	}
}

// loaded returns the number of samples of a model that must be readable.
func loaded(t *testing.T, path string) (samples int) {
	t.Helper()
	m, err := load(path)
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	return m.Updater().Samples()
}

// kinds are models of all methods, tasks and scalings, with the flags that train them. Those with other
// set update to another file, time after time.
var kinds = []struct {
	name   string
	flags  []string
	other  bool
	target string
}{
	{"gram", []string{"--method", "gram"}, false, "color"},
	{"qr", []string{"--method", "qr"}, false, "color"},
	{"ridge-inverse", []string{"--method", "ridge-inverse", "--scale", "samples"}, false, "color"},
	{"inverse-cholesky", []string{"--method", "inverse-cholesky", "--scale", "none"}, false, "color"},
	{"improved", []string{"--method", "improved", "--lambda", "2^-30"}, false, "color"},
	{"original", []string{"--method", "original", "--lambda", "2^-30"}, false, "color"},
	{"regression-gram", []string{"--method", "gram", "--scale", "none", "--task", "regression"}, false, "y1,y2"},
	{"regression-qr", []string{"--method", "qr", "--scale", "samples", "--task", "regression"}, true, "y1"},
	{"other-file", []string{"--method", "gram"}, true, "color"},
}

// TestKillUpdate kills updates at random moments. After each the model can be read, and has what it had
// before or all rows of the update; what was acknowledged it has. In the end it is to the bit the model
// that learned the same updates in peace.
func TestKillUpdate(t *testing.T) {
	testutil.NotUnderRace(t, "it does not see into processes")
	testutil.NotEmulated(t, "the moments are those of processes that take milliseconds")
	random := rand.New(rand.NewPCG(momentSeed(t), 1))
	for _, kind := range kinds {
		random := rand.New(rand.NewPCG(random.Uint64(), 3)) // of its own, since they run at once
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			columns := append([]string{"a", "b", "c", "d"}, strings.Split(kind.target, ",")...)
			data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, columns...))
			const rows = 40
			more := writeText(t, dir, "more.csv", csvText(samples(rows, 2), true, columns...))
			model, peaceful := filepath.Join(dir, "m.bls"), filepath.Join(dir, "peace.bls")
			peacefully(t, small(append(kind.flags, "--target", kind.target, "--groups", "4", "--enhancement", "60", "--out", model, data)...)...)
			text, err := os.ReadFile(model)
			testutil.NoError(t, err)
			testutil.NoError(t, os.WriteFile(peaceful, text, 0o666))
			// Where there is another file it is out that updates go to, and model that they
			// start from.
			out := model
			update := []string{"update", "--again", model, more}
			if kind.other {
				out = filepath.Join(dir, "out.bls")
				update = append(update, "--out", out)
			}
			begun := time.Now()
			peacefully(t, "update", "--again", peaceful, more)
			whole := time.Since(begun)
			have := loaded(t, peaceful) - rows
			most := (kills() + len(kinds) - 1) / len(kinds)
			t.Logf("%d processes are killed", most)
			for n, done := 0, 0; done < most; n++ {
				if n == 50*most {
					t.Fatalf("of %d processes %d were killed", n, done)
				}
				_, absent := os.Stat(out)
				stdout, was := killed(t, time.Duration(1.2*random.Float64()*float64(whole)), update...)
				acknowledged := strings.Contains(stdout, fmt.Sprintf("learned %d rows", rows))
				if was {
					done++
				}
				if _, err := os.Stat(out); absent != nil && err != nil && was && !acknowledged {
					continue // it has not come so far
				}
				switch now := loaded(t, out); {
				case now == have+rows && kind.other:
					if loaded(t, model) != have {
						t.Fatal("--out has changed the model")
					}
				case now == have+rows:
					have = now
				case now != have || kind.other:
					t.Fatalf("%d samples; want %d or %d", now, have, have+rows)
				case acknowledged || !was:
					t.Fatalf("an acknowledged update is lost: %q", stdout)
				}
			}
			for !kind.other && loaded(t, peaceful) < loaded(t, model) {
				peacefully(t, "update", "--again", peaceful, more)
			}
			for !kind.other && loaded(t, model) < loaded(t, peaceful) {
				peacefully(t, "update", "--again", model, more)
			}
			if !kind.other {
				peacefully(t, "update", "--again", peaceful, more)
			}
			peacefully(t, update...) // one at least comes after the last kill, and clears up
			if !bytes.Equal(state(t, peaceful), state(t, out)) {
				t.Error("the model is not that of the same updates in peace")
			}
			left(t, 0, dir, ".*")
		})
	}
}

// peacefully runs the command as a process that is not killed, so that all have the same backend.
func peacefully(t *testing.T, args ...string) {
	t.Helper()
	if status, _, stderr := process(nil, args...); status != 0 {
		t.Fatalf("%q: status %d, stderr %q", args, status, stderr)
	}
}

// TestKillCheckpoints kills updates and trainings with checkpoints again and again, until they get to
// the end by --resume: the result is to the bit that of one that was never stopped, and no checkpoint
// that was acknowledged is lost.
func TestKillCheckpoints(t *testing.T) {
	testutil.NotUnderRace(t, "it does not see into processes")
	testutil.NotEmulated(t, "the moments are those of processes that take milliseconds")
	seed := momentSeed(t)
	for _, command := range []string{"update", "train"} {
		for name, kind := range map[string]struct {
			flags  []string
			target string
		}{
			"classification": {[]string{"--method", "auto"}, "color"},
			"regression":     {[]string{"--method", "qr", "--scale", "none", "--task", "regression"}, "y1,y2"},
		} {
			t.Run(command+"/"+name, func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, 2))
				dir := t.TempDir()
				columns := append([]string{"a", "b", "c", "d"}, strings.Split(kind.target, ",")...)
				data := writeText(t, dir, "x.csv", csvText(samples(200, 1), true, columns...))
				more := writeText(t, dir, "more.csv", csvText(samples(3000, 2), true, columns...))
				model, peaceful := filepath.Join(dir, "m.bls"), filepath.Join(dir, "peace.bls")
				train := func(out, data string) []string {
					return small(append(kind.flags, "--target", kind.target, "--out", out, data)...)
				}
				before := 0
				work := train(model, more)
				if command == "update" {
					before = 200
					work = []string{"update", model, more}
					peacefully(t, train(model, data)...)
					peacefully(t, train(peaceful, data)...)
					peacefully(t, "update", "--again", peaceful, more)
				} else {
					peacefully(t, train(peaceful, more)...)
				}
				killCheckpoints(t, random, append(work, "--checkpoint", "50", "--resume"), model, before)
				if !bytes.Equal(state(t, model), state(t, peaceful)) {
					t.Error("what was killed has another result")
				}
			})
		}
	}
}

// killCheckpoints kills a command that makes checkpoints of a model, which has so many samples before,
// until it ends by itself.
func killCheckpoints(t *testing.T, random *rand.Rand, work []string, model string, before int) {
	t.Helper()
	least, kills := before, 0
	for range 1000 {
		stdout, was := killed(t, time.Duration(20+random.IntN(150))*time.Millisecond, work...)
		if was {
			kills++
		}
		for line := range strings.Lines(stdout) {
			var rows int
			if _, text, ok := strings.Cut(line, "   checkpoint after "); ok {
				if _, err := fmt.Sscanf(text, "%d rows", &rows); err == nil {
					least = max(least, before+rows)
				}
			}
		}
		if _, err := os.Stat(model); err != nil && was && least == 0 {
			continue // a training that has not come so far
		}
		now := loaded(t, model)
		if now < least || (now-before)%50 != 0 {
			t.Fatalf("%d samples; want at least the %d that were acknowledged, in batches of 50", now, least)
		}
		least = now
		if !was {
			t.Logf("%d processes were killed", kills)
			return
		}
	}
	t.Fatal("it does not get to the end")
}
