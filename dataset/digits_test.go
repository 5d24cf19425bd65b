package dataset

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestDigitsGolden compares the bytes of two seeds with checksums: a few images, and enough that each
// skeleton is drawn by maps of all kinds. A new checksum invalidates results published with the set.
func TestDigitsGolden(t *testing.T) {
	s := Digits(100, 1)
	if s.Name != "synthetic digits" || !s.Synthetic || s.Rows != 28 || s.Cols != 28 || s.Classes != 10 || s.Len() != 100 || len(s.Labels) != 100 {
		t.Errorf("%q, synthetic %v, %d images of %d×%d in %d classes", s.Name, s.Synthetic, s.Len(), s.Rows, s.Cols, s.Classes)
	}
	for set, want := range map[*Images]string{s: "3e3e0a6f8118dad77aa101ffc7ea40d2918745999b72725be95435b94a815b14", Digits(3000, 5): "cdc410be915dd85c6e1bf3ec8ade0137cae10170afa982f1a20a3163e2433c13"} {
		if got := checksum(set.Pixels, set.Labels); got != want {
			t.Errorf("%d digits have SHA-256 %s, want %s", set.Len(), got, want)
		}
	}
}

func TestDigitsPrefix(t *testing.T) {
	all := Digits(137, 42)
	for _, n := range []int{0, 1, 9, 10, 11, 99, 136} {
		s := Digits(n, 42)
		if s.Len() != n || !bytes.Equal(s.Pixels, all.Pixels[:n*digitPixels]) || !bytes.Equal(s.Labels, all.Labels[:n]) {
			t.Errorf("the first %d images depend on how many there are", n)
		}
	}
}

func TestDigitsBalance(t *testing.T) {
	s := Digits(1005, 7)
	var counts [10]int
	for i, v := range s.LabelsInt(0, s.Len()) {
		counts[v]++
		n := i + 1
		for class, c := range counts {
			if c < n/10 || c > (n+9)/10 {
				t.Fatalf("%d of class %d among the first %d", c, class, n)
			}
		}
	}
}

// TestPenLine compares the distances with their definition: min over t in [0, 1] of |p - a -
// t(b-a)|², in float64. The pen's quotient is rounded down, so it is below by less than 1;
// float64's error on numbers below 2^30 is far below 1.
func TestPenLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	coordinate := func() int64 { return rng.Int64N(digitSide*sub+4000) - 2000 }
	var p pen
	for trial := range 200 {
		a, b := point{coordinate(), coordinate()}, point{coordinate(), coordinate()}
		switch trial % 10 {
		case 0:
			b = a
		case 1:
			b.x = a.x
		case 2:
			b.y = a.y
		}
		p.reach = 100 + rng.Int64N(600)
		for i := range p.near {
			p.near[i] = math.MaxInt64
		}
		p.line(a, b)
		for i, got := range p.near {
			px, py := float64(i%digitSide*sub+sub/2), float64(i/digitSide*sub+sub/2)
			dx, dy := float64(b.x-a.x), float64(b.y-a.y)
			ux, uy := px-float64(a.x), py-float64(a.y)
			s := 0.0
			if a != b {
				s = max(0, min(1, (ux*dx+uy*dy)/(dx*dx+dy*dy)))
			}
			want := (ux-s*dx)*(ux-s*dx) + (uy-s*dy)*(uy-s*dy)
			// Beyond its reach a line may leave a pixel out.
			if got == math.MaxInt64 && want >= float64(p.reach*p.reach) {
				continue
			}
			if !(math.Abs(float64(got)-want) <= 1.001) {
				t.Fatalf("line %v %v, pixel %d: squared distance %d, want %v", a, b, i, got, want)
			}
		}
	}
}
