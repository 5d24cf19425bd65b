package blsupdate

import (
	"context"

	"blskernel"
	"blskernel/blsupdate/internal/rates"
)

// EnvCache names the environment variable for the folder of files of rates. Without it that is
// blskernel in the user's cache folder.
const EnvCache = rates.EnvCache

// Rates predict how long steps take on one machine, with one backend and one number of threads. Nothing
// changes them, and several goroutines may use them at once.
type Rates struct{ rates *rates.Rates }

// ConstantRates returns the rates of an ideal machine, in flops per second, and in numbers per second
// that passes over memory read or write. With them Plan goes by the flops and needs no measurement.
// Infinitely many numbers leave the passes out. It panics unless both are above 0 and flops is finite.
func ConstantRates(flops, numbers float64) *Rates { return &Rates{rates.ConstantRates(flops, numbers)} }

// MeasureRates measures the rates of b, nil for blskernel.Default(), with the set number of threads,
// and writes them to the file of this machine, in the folder that BLSKERNEL_CACHE names or in
// blskernel in the user's cache folder; Rates.Unsaved says why it could not. It takes a minute or
// two and 400 MB of memory, and needs a machine without other work. It calls progress, which may be
// nil, with the share of the work that is done. The error is the cause of ctx where that is canceled.
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return publicRates(rates.Measure(ctx, b, progress))
}

// RatesFor returns the rates of b from the file of this machine, or else calls MeasureRates, which
// replaces a file that cannot be read.
func RatesFor(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return publicRates(rates.For(ctx, b, progress))
}

func publicRates(r *rates.Rates, err error) (*Rates, error) {
	if err != nil {
		return nil, err
	}
	return &Rates{r}, nil
}

// Seconds returns the predicted time of all steps, from Model or from a Report.
func (r *Rates) Seconds(steps ...StepFlops) (sum float64) {
	for _, s := range steps {
		sum += r.rates.Seconds(s.line)
	}
	return sum
}

// String names the backend, the number of threads and the CPU.
func (r *Rates) String() string { return r.rates.String() }

// Unsaved returns why MeasureRates could not write the rates to a file, or nil. They will have to be
// measured again.
func (r *Rates) Unsaved() error { return r.rates.Unsaved() }

// Refresh returns rates for the speed that the machine has at the moment: the times of products and
// factorizations go by the FMA peak (blskernel.Peak), which it measures in some milliseconds.
// Predictions for a shared machine, or one whose clock changes, are better right after it; the order
// of methods is nearly the same, and Plan does without. Constant rates stay.
func (r *Rates) Refresh() *Rates { return &Rates{r.rates.Refresh()} }
