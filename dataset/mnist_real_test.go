package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// mnistDir returns the folder of the real MNIST files: that named by BLSKERNEL_MNIST, else
// shared/data/mnist beside the repository. It skips the test where there is none, but a folder that
// is named and not there is a failure of LoadMNIST.
func mnistDir(t *testing.T) string {
	if dir := os.Getenv("BLSKERNEL_MNIST"); dir != "" {
		return dir
	}
	dir := filepath.Join("..", "..", "shared", "data", "mnist")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no MNIST files: BLSKERNEL_MNIST is not set and %s is not there", dir)
	}
	return dir
}

func TestLoadMNISTReal(t *testing.T) {
	train, test, err := LoadMNIST(mnistDir(t))
	if err != nil {
		t.Fatal(err)
	}
	// The checksums are those of the unpacked files as distributed; the counts, of each label.
	for _, want := range []struct {
		set            *Images
		n              int
		counts         [10]int
		images, labels string
	}{
		{train, 60000, [10]int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949},
			"ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
			"65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
		{test, 10000, [10]int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009},
			"0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
			"ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
	} {
		s := want.set
		if s.Len() != want.n || s.Rows != 28 || s.Cols != 28 || s.Classes != 10 || s.Synthetic {
			t.Fatalf("%s: %d images of %d×%d in %d classes", s.Name, s.Len(), s.Rows, s.Cols, s.Classes)
		}
		var counts [10]int
		for _, v := range s.LabelsInt(0, s.Len()) {
			counts[v]++
		}
		if counts != want.counts {
			t.Errorf("%s: %v of each label, want %v", s.Name, counts, want.counts)
		}
		if got := checksum(idx(nil, uint32(s.Len()), 28, 28), s.Pixels); got != want.images {
			t.Errorf("%s: images have SHA-256 %s, want %s", s.Name, got, want.images)
		}
		if got := checksum(idx(nil, uint32(s.Len())), s.Labels); got != want.labels {
			t.Errorf("%s: labels have SHA-256 %s, want %s", s.Name, got, want.labels)
		}
	}
}

// checksum returns the SHA-256 of the parts one after the other, in hexadecimal.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}
