package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/selftest"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/hashes"
)

// goldenRows returns a CSV text of samples with numbers of three decimals, from integers alone.
func goldenRows(rows int) string {
	var b strings.Builder
	b.WriteString("a,b,c,d,y,class\n")
	s := selftest.Source(17)
	for range rows {
		var x [4]int64
		for j := range x {
			x[j] = int64(s.Uint64()%4000) - 2000
			fmt.Fprintf(&b, "%d.%03d,", x[j]/1000, max(x[j], -x[j])%1000)
		}
		y := x[0]*x[1]/1000 + x[2]
		class := "low"
		if y > x[3] {
			class = "high"
		}
		fmt.Fprintf(&b, "%d.%03d,%s\n", y/1000, max(y, -y)%1000, class)
	}
	return b.String()
}

// TestGoldenCommand trains a model by each method for each task, on every kernel of this machine. The
// model files, before and after an update, and the predictions have the same bytes on every machine.
func TestGoldenCommand(t *testing.T) {
	if why := selftest.Outside(); why != "" {
		t.Skip(why)
	}
	testutil.NotUnderRace(t, "the detector does not see into the kernels")
	book := hashes.Open("command")
	const rule = "a model file has nothing of the machine, and its time is SOURCE_DATE_EPOCH"
	for k, kernel := range backend.Kernels() {
		t.Run("kernel="+kernel, func(t *testing.T) {
			dir := t.TempDir()
			lines := strings.SplitAfter(goldenRows(900), "\n")
			writeText(t, dir, "train.csv", strings.Join(lines[:601], ""))
			writeText(t, dir, "more.csv", lines[0]+strings.Join(lines[601:751], ""))
			writeText(t, dir, "test.csv", lines[0]+strings.Join(lines[751:], ""))
			// One task for each method, in turn, in an emulator, where training takes ten
			// seconds, and on other kernels than the first.
			some := (testutil.Emulated() || k > 0) && !testutil.Long()
			var commands strings.Builder
			var models []string
			for i, m := range blsupdate.Methods() {
				for j, target := range []string{"y", "class"} {
					if some && i%2 != j {
						continue
					}
					model := fmt.Sprintf("%v-%s.bls", m, target)
					models = append(models, model)
					fmt.Fprintf(&commands, "train --out %s --method %v --target %s --task %s --inputs a,b,c,d"+
						" --enhancement 60 --first 250 --batch 200 --seed 3 train.csv\n", model, m, target,
						[]string{"regression", "classification"}[j])
					fmt.Fprintf(&commands, "copy %[1]s first-%[1]s\nupdate %[1]s more.csv\npredict --out %[1]s.csv %[1]s test.csv\n", model)
				}
			}
			cmd := command([]string{"SOURCE_DATE_EPOCH=0", "BLSKERNEL_BACKEND=pure", "BLSKERNEL_KERNEL=" + kernel, asCommand + "=lines"})
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(commands.String())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			book.Begin()
			for _, model := range models {
				for _, made := range [][2]string{{"train", "first-" + model}, {"update", model}, {"predict", model + ".csv"}} {
					data, err := os.ReadFile(filepath.Join(dir, made[1]))
					testutil.NoError(t, err)
					book.Check(t, made[0]+" "+model, rule, xxhash.Sum64(data))
				}
			}
			if !some {
				book.End(t)
			}
		})
	}
}
