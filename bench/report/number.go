package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// absent stands where there is no number.
const absent = "–"

// significant writes x with three significant digits, or to the unit where it has more before the
// point, and without an exponent unless it is very large or small.
func significant(x float64) string {
	if math.IsNaN(x) {
		return absent
	}
	if a := math.Abs(x); a != 0 && (a < 0.9995e-4 || a >= 0.9995e6) {
		s := strconv.FormatFloat(x, 'e', 2, 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		n, err := strconv.Atoi(exponent)
		if err != nil {
			return s // an infinity
		}
		return mantissa + "e" + strconv.Itoa(n)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	decimals := 2
	if rounded != 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(math.Abs(rounded))+1e-12)))
	}
	if decimals == 0 {
		rounded = x
	}
	return strconv.FormatFloat(rounded, 'f', decimals, 64)
}

// short writes a setting with up to three significant digits.
func short(x float64) string {
	s := significant(x)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// sentence begins s with a capital letter, where it begins with a small one of the English alphabet.
func sentence(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// times writes a ratio.
func times(x float64) string {
	if math.IsNaN(x) {
		return absent
	}
	if x >= 0.095 && x < 9.995 {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return significant(x)
}

func fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return absent
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// between writes the range of values, of which the two ends may look the same.
func between(values []float64, write func(float64) string) string {
	if len(values) == 0 {
		return absent
	}
	low, high := write(slices.Min(values)), write(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

// count writes a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// list joins words as a sentence has them.
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// median returns the median of x, of two middle elements their mean, or NaN for none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	h := len(x) / 2
	if len(x)%2 == 1 {
		return x[h]
	}
	return (x[h-1] + x[h]) / 2
}

// meanAndDeviation returns the mean of x and the standard deviation of a sample, which is NaN for fewer
// than two.
func meanAndDeviation(x []float64) (mean, deviation float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, math.NaN()
	}
	for _, v := range x {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(x)-1))
}

// slug makes a name of letters, digits and hyphens.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
