package names

import (
	"math"
	"strconv"
	"strings"
)

// Unknown is the text for NaN.
const Unknown = "-"

// Significant formats x with the given number of significant digits, or as an integer if it has more
// digits before the point. It uses an exponent if the rounded |x| is at least 1e6, or in (0, 1e-4).
func Significant(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'e', digits-1, 64)
	_, exponent, _ := strings.Cut(text, "e")
	if n, err := strconv.Atoi(exponent); err != nil || -5 < n && n < 6 { // NaN and Inf have no exponent
		return Fixed(x, max(0, digits-1-n))
	}
	return text
}

// Fixed formats x with the given number of decimals.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return Unknown
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Ridge formats a ridge as a decimal number, or as 2^n if that is shorter, like the paper's 2^-30.
func Ridge(lambda float64) string {
	decimal := strconv.FormatFloat(lambda, 'g', -1, 64)
	if fraction, exponent := math.Frexp(lambda); fraction == 0.5 {
		if power := "2^" + strconv.Itoa(exponent-1); len(power) < len(decimal) {
			return power
		}
	}
	return decimal
}
