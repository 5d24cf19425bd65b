package golden_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/golden"
	"blskernel/internal/testutil"
)

// envShard names the file that TestShardWrite writes, on whatever machine runs it.
const envShard = "BLSKERNEL_TEST_SHARD"

// shard learns one of two shards of drawn digits and returns the encoded output layer.
func shard(t testing.TB, b blskernel.Backend, m blsupdate.Method, rows, which int) []byte {
	digits := dataset.Digits(2*rows, 9)
	f, err := bls.FitFeatures(digits.Dense(0, min(rows, 500)), bls.FeatureOptions{EnhancementNodes: 100, Groups: 5, Seed: 2, Backend: b})
	testutil.NoError(t, err)
	a, err := f.Transform(digits.Dense(which*rows, (which+1)*rows))
	testutil.NoError(t, err)
	y, err := bls.OneHot(digits.LabelsInt(which*rows, (which+1)*rows), digits.Classes)
	testutil.NoError(t, err)
	u, err := blsupdate.New(m, a, y, blsupdate.Options{Lambda: 1e-3, Backend: b})
	testutil.NoError(t, err)
	var state bytes.Buffer
	testutil.NoError(t, blsupdate.Encode(&state, u))
	return state.Bytes()
}

// merged returns the encoded model of two shards.
func merged(t testing.TB, b blskernel.Backend, first, second []byte) []byte {
	u, err := blsupdate.Decode(bytes.NewReader(first), b)
	testutil.NoError(t, err)
	v, err := blsupdate.Decode(bytes.NewReader(second), b)
	testutil.NoError(t, err)
	testutil.NoError(t, u.Merge(v))
	var state bytes.Buffer
	testutil.NoError(t, blsupdate.Encode(&state, u))
	return state.Bytes()
}

// shardMethods can merge.
var shardMethods = []blsupdate.Method{blsupdate.Gram, blsupdate.QR}

func TestGoldenShards(t *testing.T) {
	each(t, "shards", func(r recorder, b blskernel.Backend) {
		for _, m := range shardMethods {
			first, second := shard(r, b, m, 300, 0), shard(r, b, m, 300, 1)
			r.add(m.String()+" first", ruleUpdate, bytesOf(first))
			r.add(m.String()+" second", ruleUpdate, bytesOf(second))
			r.add(m.String()+" merged", ruleUpdate, bytesOf(merged(r, b, first, second)))
		}
	})
}

// TestShardWrite writes the second shard for TestTwoMachines.
func TestShardWrite(t *testing.T) {
	path := os.Getenv(envShard)
	if path == "" {
		t.Skip("another test runs it")
	}
	for _, m := range shardMethods {
		testutil.NoError(t, os.WriteFile(path+m.String(), shard(t, blskernel.Default(), m, 2000, 1), 0o644))
	}
}

// TestTwoMachines merges a shard of 2000 digits learned here and one learned on arm64, in
// emulation, to the bits of the model of the same shards both learned here.
func TestTwoMachines(t *testing.T) {
	testutil.Slow(t)
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil || runtime.GOARCH == "arm64" {
		t.Skipf("no emulator of another machine here: %v", err)
	}
	if why := golden.Outside(); why != "" {
		t.Skip(why)
	}
	dir := t.TempDir()
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(dir, "arm64.test"), ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	other := exec.Command(emulator, filepath.Join(dir, "arm64.test"), "-test.run", "TestShardWrite$")
	other.Env = append(os.Environ(), envShard+"="+filepath.Join(dir, "shard-"))
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	for _, m := range shardMethods {
		elsewhere, err := os.ReadFile(filepath.Join(dir, "shard-"+m.String()))
		testutil.NoError(t, err)
		first, second := shard(t, b, m, 2000, 0), shard(t, b, m, 2000, 1)
		if !bytes.Equal(elsewhere, second) {
			t.Errorf("%v: the shard learned on arm64 is not the one learned here", m)
		}
		if !bytes.Equal(merged(t, b, first, elsewhere), merged(t, b, first, second)) {
			t.Errorf("%v: the models differ", m)
		}
	}
}
