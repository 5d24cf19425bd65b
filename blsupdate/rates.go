package blsupdate

import (
	"context"

	"blskernel"
	"blskernel/blsupdate/internal/rates"
)

// EnvCache names the environment variable that sets the folder of the rates files; the default is
// blskernel in the user's cache folder.
const EnvCache = rates.EnvCache

// Rates predict how long steps take on one machine, with one backend and one number of threads. They
// are immutable and safe for concurrent use. They only predict times; no model depends on them. The
// zero value has no rates, and its methods panic.
type Rates struct{ rates *rates.Rates }

func (r *Rates) held() *rates.Rates {
	if r.rates == nil {
		panic("blsupdate: the zero value of Rates has no rates; call RatesFor, MeasureRates or ConstantRates")
	}
	return r.rates
}

// ConstantRates returns the rates of an ideal machine. flops is its flops per second in computations,
// and numbers is how many float64s per second it reads or writes in passes over memory. With these
// rates Plan makes the same choice on every machine. If numbers is infinite, passes take no time.
// ConstantRates panics unless both arguments are positive and flops is finite.
func ConstantRates(flops, numbers float64) *Rates { return &Rates{rates.ConstantRates(flops, numbers)} }

// MeasureRates measures the rates of b (nil means blskernel.Default()) with the current number of
// threads, and writes them to RatesFile(b); if that fails, Rates.Unsaved returns the reason. It takes
// at most 20 seconds and 600 MB of memory, and needs the machine to itself: no other work, and no other
// measurement. It calls progress, which may be nil, with the fraction of the work done so far.
//
//	errors: the cause of ctx if ctx is canceled; the next call then continues the measurement.
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	r, err := rates.Measure(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return &Rates{r}, nil
}

// RatesFor returns the rates of b (nil means blskernel.Default()) from RatesFile(b). If the file cannot
// be read, it returns built-in rates at once, of openblas or, for any other backend, of pure. They were
// measured on two threads of a Zen 5, and are scaled to this machine's FMA peak with the current number
// of threads. They rank methods well; times may be off by a factor of 2, or more for small updates.
func RatesFor(b blskernel.Backend) *Rates { return &Rates{rates.For(b)} }

// RatesFile returns the name of the file in which MeasureRates keeps the rates of b with the current
// number of threads; nil stands for blskernel.Default(). The file is in the folder that BLSKERNEL_CACHE
// names, or in blskernel in the user's cache folder. The name is empty if neither is known.
func RatesFile(b blskernel.Backend) string { return rates.File(b) }

// Seconds returns the predicted total time of steps from Model or from a Report.
func (r *Rates) Seconds(steps ...StepFlops) (sum float64) {
	held := r.held()
	for _, s := range steps {
		sum += held.Seconds(s.line)
	}
	return sum
}

// String names the backend, CPU and number of threads, or says that the rates are built-in or constant.
func (r *Rates) String() string { return r.held().Name }

// Measured reports whether the rates were measured on this machine, rather than built-in or constant.
func (r *Rates) Measured() bool { return r.held().Measured }

// Unsaved returns why MeasureRates could not write the rates to a file, or nil.
func (r *Rates) Unsaved() error { return r.held().Unsaved }

// AtPeak returns the rates rescaled to the FMA peak flops, in flop/s, for a shared machine or a varying
// clock. Plan does not use AtPeak, since a peak hardly changes the order of the methods. Constant rates
// are unchanged.
func (r *Rates) AtPeak(flops float64) *Rates { return &Rates{r.held().AtPeak(flops)} }

// Peak measures the FMA peak, in flop/s, to which rates are relative: the best of three runs of
// blskernel.Peak with the current number of threads. It takes milliseconds.
func Peak() float64 { return rates.Peak() }
