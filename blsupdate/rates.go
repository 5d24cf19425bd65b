package blsupdate

import (
	"context"

	"blskernel"
	"blskernel/blsupdate/internal/rates"
)

// EnvCache names the environment variable for the folder of files of rates; the default is blskernel in
// the user's cache folder.
const EnvCache = rates.EnvCache

// Rates predict how long steps take on one machine, with one backend and one number of threads. Nothing
// changes them, and several goroutines may use them at once. They only predict times: no model depends
// on them. The zero value has no rates, and its methods panic.
type Rates struct{ rates *rates.Rates }

// held returns the rates, and panics where there are none.
func (r *Rates) held() *rates.Rates {
	if r.rates == nil {
		panic("blsupdate: Rates: the zero value; call RatesFor, MeasureRates or ConstantRates")
	}
	return r.rates
}

// ConstantRates returns the rates of an ideal machine, in flops per second, and in numbers per second
// that passes over memory read or write. With them Plan goes by the flops, the same on every machine.
// Infinitely many numbers leave the passes out. It panics unless both are above 0 and flops is finite.
func ConstantRates(flops, numbers float64) *Rates { return &Rates{rates.ConstantRates(flops, numbers)} }

// MeasureRates measures the rates of b, nil for blskernel.Default(), with the set number of threads,
// and writes them to RatesFile(b); Rates.Unsaved says why it could not. It takes at most 20 seconds
// and 600 MB of memory, and needs a machine without other work or another process that measures. It
// calls progress, which may be nil, with the share of the work that is done.
//
//	errors: the cause of ctx if it is canceled; the next call continues.
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	r, err := rates.Measure(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return &Rates{r}, nil
}

// RatesFor returns the rates of b, nil for blskernel.Default(), from RatesFile(b). Where that cannot be
// read it returns built-in rates at once: two threads of a Zen 5 on the same backend, scaled by the
// present FMA peak of this machine with the set number of threads. They rank methods well, but a time
// may be off by a factor of two, and more for small updates or where memory is slow.
func RatesFor(b blskernel.Backend) *Rates { return &Rates{rates.For(b)} }

// RatesFile returns the name of the file in which MeasureRates keeps the rates of b, nil for
// blskernel.Default(), with the set number of threads: in the folder that BLSKERNEL_CACHE names, or in
// blskernel in the user's cache folder. It is empty where there is no such folder.
func RatesFile(b blskernel.Backend) string { return rates.File(b) }

// Seconds returns the predicted time of all steps, from Model or from a Report.
func (r *Rates) Seconds(steps ...StepFlops) (sum float64) {
	for _, s := range steps {
		sum += r.held().Seconds(s.line)
	}
	return sum
}

// String names the backend, the number of threads and the CPU, or says that the rates are built in.
func (r *Rates) String() string { return r.held().String() }

// Measured reports whether the rates were measured on this machine, and are neither built-in nor
// constant ones.
func (r *Rates) Measured() bool { return r.held().Measured() }

// Unsaved returns why MeasureRates could not write the rates to a file, or nil.
func (r *Rates) Unsaved() error { return r.held().Unsaved() }

// AtPeak rescales the rates to the given FMA peak. Use it on shared machines and under a varying clock.
// The order of methods hardly changes, so Plan does not use it. Constant rates are unchanged.
func (r *Rates) AtPeak(flops float64) *Rates { return &Rates{r.held().AtPeak(flops)} }

// Peak measures blskernel.Peak of the set number of threads as rates go by it: in some milliseconds,
// the best of a few times.
func Peak() float64 { return rates.Peak() }
