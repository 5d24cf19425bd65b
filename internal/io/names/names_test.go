package names

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

type Color int

func TestNames(t *testing.T) {
	known := []string{"", "red", "green"}
	for v, want := range map[Color]string{0: "Color(0)", 1: "red", 2: "green", 3: "Color(3)", -1: "Color(-1)"} {
		if got := String(known, v); got != want {
			t.Errorf("%d is %q, want %q", int(v), got, want)
		}
	}
	if v, err := Parse[Color]("names", known, "GREEN"); v != 2 || err != nil {
		t.Error(v, err)
	}
	for _, name := range []string{"blue", ""} {
		want := fmt.Sprintf("names: unknown color %q; must be one of red, green", name)
		if _, err := Parse[Color]("names", known, name); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestList shows both ends of long names, which may differ at either.
func TestList(t *testing.T) {
	long := strings.Repeat("ä", 80)
	for want, names := range map[string][]string{
		``:                  nil,
		`"a", "b\n"`:        {"a", "b\n"},
		strconv.Quote(long): {long},
		`"x` + long[:78] + `"..."` + long[:78] + `y"`:                  {"x" + long + "y"},
		`"1", "2", "3", "4", "5", "6", "7", "8", "9", "10" and 2 more`: strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	} {
		if got := List(names); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	if got := Count(1, "row") + Count(2, "row") + Count(int64(0), "class", "classes"); got != "1 row2 rows0 classes" {
		t.Error(got)
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{Significant(0, 4), "0.000"}, {Significant(0.00012344, 4), "0.0001234"}, {Significant(1234e-9, 3), "1.23e-06"}, {Significant(0.5, 3), "0.500"},
		{Significant(9.87654, 4), "9.877"}, {Significant(112.34, 4), "112.3"}, {Significant(1234.5, 3), "1234"}, {Significant(123456.7, 4), "123457"},
		{Significant(99.96, 3), "100"}, {Significant(0.00099996, 3), "0.00100"}, {Significant(999999.5, 3), "1.00e+06"}, {Significant(2.5e9, 3), "2.50e+09"},
		{Significant(-3.14159, 3), "-3.14"}, {Significant(math.NaN(), 3), Unknown}, {Significant(math.Inf(1), 3), "+Inf"}, {Fixed(98.645, 2), "98.64"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %s, want %s", tc.got, tc.want)
		}
	}
}
