package kernel

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	last := table[len(table)-1]
	if last.Name != "generic" || !last.Available() {
		t.Errorf("the table ends with %q, want generic, always available", last.Name)
	}
	for _, k := range table {
		entry := reflect.ValueOf(k)
		for i := range entry.NumField() {
			if entry.Field(i).IsZero() {
				t.Errorf("kernel %q has no %s", k.Name, entry.Type().Field(i).Name)
			}
		}
	}
}

// Every usable kernel is found by name, and the first one without a name. For any other name the error
// says why it cannot be used, and lists the usable ones.
func TestChoose(t *testing.T) {
	if k, err := choose(""); err != nil || k.Name != Names()[0] {
		t.Errorf("without a name: %q, %v, the first usable kernel is %q", k.Name, err, Names()[0])
	}
	for _, name := range Names() {
		for _, given := range []string{name, strings.ToUpper(name)} {
			if k, err := choose(given); err != nil || k.Name != name {
				t.Errorf("choose(%q) = %q, %v", given, k.Name, err)
			}
		}
	}
	defer func(saved []Kernel) { table = saved }(table)
	table = append([]Kernel{{Name: "future", Available: func() bool { return false }}}, table...)
	usable := strings.Join(Names(), ", ")
	for name, why := range map[string]string{
		"future": `this CPU cannot run kernel "future"`,
		"AVX9":   `this build has no kernel "AVX9"`,
	} {
		want := EnvKernel + "=" + name + ": kernel: " + why + " (usable here: " + usable + ")"
		if k, err := choose(name); err == nil || err.Error() != want || k.Name != "" {
			t.Errorf("choose(%q) = %q, %v, want the error %s", name, k.Name, err, want)
		}
	}
	if k, err := choose(""); err != nil || k.Name == "future" {
		t.Errorf("chose %q, %v, but this machine cannot run kernel \"future\"", k.Name, err)
	}
}

// checkPack checks that a copy of a matrix or of its transpose has every element in its place.
func checkPack(s *shape, k Kernel) {
	m, n, transpose := 1+s.Below(90), 1+s.Below(90), s.Below(2) == 1
	r, c := m, n
	if transpose {
		r, c = n, m
	}
	lds, stepS := s.spacing(m, n)
	ldd, stepD := s.spacing(r, c)
	if transpose {
		ldd, stepD = c+s.Below(5), 0
	}
	src := newSpan(m, n, math.NaN(), stepped(lds, stepS), everyElement, s.rnd.NormFloat64)
	dst := newSpan(r, c, canary, stepped(ldd, stepD), everyElement, func() float64 { return math.NaN() })
	want, before := dst.copied(), slices.Clone(src.x)
	for i := range m {
		for j := range n {
			if transpose {
				want.set(j, i, src.at(i, j))
			} else {
				want.set(i, j, src.at(i, j))
			}
		}
	}
	ps, pd := s.put(&src), s.put(&dst)
	s.run(func() {
		if transpose {
			k.Transpose(m, n, ps, lds, stepS, pd, ldd)
		} else {
			k.Copy(m, n, ps, lds, stepS, pd, ldd, stepD)
		}
	})
	s.same("the copy", dst, want.x)
	s.same("the source", src, before)
}

func FuzzPack(f *testing.F) { fuzzed(f, checkPack) }

func TestPack(t *testing.T) {
	exhaust(t, checkPack, func(Kernel) []int { return []int{27, 35, 2} })
}
