package stream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/numpytest"
)

// numpyFiles writes 7×3 matrices with the elements (5i + 3j) mod 2, or mod 100 if the type has 100
// values, of every type and order, and files that the reader refuses.
const numpyFiles = `
import numpy as np
l, d = 7, 3
i, j = np.mgrid[0:l, 0:d]
for kind in ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]:
    for order in "<>":
        a = np.asarray((5*i + 3*j) % (2 if kind == "b1" else 100), dtype=order + kind)
        name = "take-%s%s" % ({"<": "little", ">": "big"}[order], kind)
        np.save(name + ".npy", a)
        np.save(name + "F.npy", np.asfortranarray(a))
        np.savez(name + ".npz", x=a, y=np.arange(l))
        np.savez_compressed(name + "-packed.npz", x=a, y=np.arange(l))
np.lib.format.write_array(open("take-littlef8-version2.npy", "wb"), ((5*i + 3*j) % 100).astype(float), version=(2, 0))
np.lib.format.write_array(open("take-littlef8-version3.npy", "wb"), ((5*i + 3*j) % 100).astype(float), version=(3, 0))
np.savez("refuse-fortran.npz", x=np.ones((l, d), order="F"))
np.save("refuse-fortran3.npy", np.ones((l, d, 2), order="F"))
np.save("refuse-complex128.npy", np.zeros((l, d), complex))
np.save("refuse-object.npy", np.array([[None] * d] * l, object))
np.save("refuse-str.npy", np.array([["a"] * d] * l))
np.save("refuse-bytes.npy", np.array([[b"a"] * d] * l))
np.save("refuse-datetime64.npy", np.zeros((l, d), "datetime64[s]"))
np.save("refuse-timedelta64.npy", np.zeros((l, d), "timedelta64[s]"))
np.save("refuse-structured.npy", np.zeros(l, [("a", float), ("b", int)]))
np.save("refuse-longdouble.npy", np.zeros((l, d), np.longdouble))
np.save("refuse-scalar.npy", np.float64(1))
np.save("refuse-empty.npy", np.zeros((0, d)))
np.save("labels.npy", np.array(["setosa", "versicolor", "a", "b", "c", "d", "é"]))
`

// TestNumPy reads what NumPy itself writes.
func TestNumPy(t *testing.T) {
	testutil.NotUnderRace(t, "one reader of many arrays")
	dir := t.TempDir()
	numpytest.Run(t, dir, numpyFiles)
	files, err := os.ReadDir(dir)
	testutil.NoError(t, err)
	taken := 0
	for _, file := range files {
		name := file.Name()
		path := filepath.Join(dir, name)
		opt := Options{}
		if strings.HasSuffix(name, ".npz") {
			opt.Targets = []string{"y"}
		}
		switch {
		case strings.HasPrefix(name, "take-"):
			taken++
			most := 100
			if strings.Contains(name, "b1") {
				most = 2
			}
			var want table
			for i := range 7 * 3 {
				want.x = append(want.x, float64((5*(i/3)+3*(i%3))%most))
			}
			if opt.Targets != nil {
				want.y = count(0, 7)
			}
			wantTable(t, []string{path}, opt, want)
		case strings.HasPrefix(name, "refuse-"):
			_, err := loadEach(t, path, opt)
			wantFault(t, name, err, path)
		}
	}
	if taken != 12*2*4+2 {
		t.Errorf("%d files read", taken)
	}
	got, err := loadEach(t, filepath.Join(dir, "take-littlef8.npy"), Options{TargetPath: filepath.Join(dir, "labels.npy"), Classes: true})
	if err != nil || strings.Join(got.labels, " ") != "setosa versicolor a b c d é" {
		t.Errorf("labels %v, %v", got.labels, err)
	}
}
