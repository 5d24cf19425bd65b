package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// linearTicks has labels at about six multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct{}

func (linearTicks) Ticks(low, high float64) []plot.Tick {
	const want = 6
	step := math.Pow(10, math.Floor(math.Log10((high-low)/want)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= want {
			step *= f
			break
		}
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks has labels at powers of ten, at all or at some of them, also at 2 and 5 times these where powers are few; and, on
// a range too narrow for that, where linearTicks has them.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	decades := math.Log10(high / low)
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	every := 1 + int(decades/8)
	labeled := func(digit, power int) bool {
		switch {
		case digit == 1:
			return power%every == 0
		case digit == 2 || digit == 5:
			return decades < 3.2
		}
		return false
	}
	var ticks []plot.Tick
	labels := 0
	for power := first; power <= last; power++ {
		for digit := 1; digit <= 9; digit++ {
			v := float64(digit) * math.Pow(10, float64(power))
			switch {
			case v < low*(1-1e-9) || v > high*(1+1e-9):
			case labeled(digit, power):
				labels++
				ticks = append(ticks, plot.Tick{Value: v, Label: powerLabel(v)})
			case decades <= 6 || digit == 1:
				ticks = append(ticks, plot.Tick{Value: v})
			}
		}
	}
	if labels < 3 {
		return linearTicks{}.Ticks(low, high)
	}
	return ticks
}

// powerLabel writes a digit times a power of ten.
func powerLabel(v float64) string {
	if v >= 0.9e-3 && v < 0.9e6 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strconv.FormatFloat(v, 'e', 0, 64) // as 2e-05
	mantissa, exponent := s[:2], s[2:]
	n, _ := strconv.Atoi(exponent)
	return mantissa + strconv.Itoa(n)
}
