package dataset

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

func sixImages() *Images {
	return &Images{Rows: 2, Cols: 3, Pixels: counted(36), Labels: []byte{5, 0, 1, 2, 2, 4}, Classes: 6}
}

func TestImagesDense(t *testing.T) {
	s := sixImages()
	if s.Len() != 6 || s.Features() != 6 {
		t.Fatalf("%d images of %d features", s.Len(), s.Features())
	}
	for _, r := range [][2]int{{0, 6}, {0, 1}, {5, 6}, {2, 4}} {
		x := s.Dense(r[0], r[1])
		if m, n := x.Dims(); m != r[1]-r[0] || n != 6 {
			t.Fatalf("%v: %d×%d", r, m, n)
		}
		for i := range r[1] - r[0] {
			for j := range 6 {
				want := float64(s.Pixels[(r[0]+i)*6+j]) / 255
				if x.At(i, j) != want {
					t.Errorf("%v: element (%d, %d) = %v, want %v", r, i, j, x.At(i, j), want)
				}
			}
		}
		x.Set(0, 0, math.NaN())
	}
	if !slices.Equal(s.Pixels, counted(36)) {
		t.Error("pixels have changed")
	}
}

func TestImagesLabels(t *testing.T) {
	s := sixImages()
	if got := s.LabelsInt(1, 5); !slices.Equal(got, []int{0, 1, 2, 2}) {
		t.Errorf("labels %v", got)
	}
	if got := s.LabelsInt(3, 3); len(got) != 0 {
		t.Errorf("labels %v of an empty range", got)
	}
}

func TestImagesPanics(t *testing.T) {
	s := sixImages()
	unlabelled := &Images{Rows: 1, Cols: 1, Pixels: []byte{1}}
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"from < 0", func() { s.Dense(-1, 2) }, panicRange},
		{"to > n", func() { s.Dense(0, 7) }, panicRange},
		{"to < from", func() { s.LabelsInt(3, 2) }, panicRange},
		{"empty", func() { s.Dense(2, 2) }, panicEmpty},
		{"zero value", func() { new(Images).Dense(0, 1) }, panicRange},
		{"unlabelled", func() { unlabelled.LabelsInt(0, 1) }, panicUnlabeled},
		{"negative digits", func() { Digits(-1, 0) }, "dataset: negative number of digits"},
		{"too many digits", func() { Digits(math.MaxInt, 0) }, "dataset: too many digits: an int cannot count their pixels"},
	} {
		if got := testutil.PanicValue(test.f); got != test.want {
			t.Errorf("%s: panic %v, want %q", test.name, got, test.want)
		}
	}
}
