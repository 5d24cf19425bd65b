package speed

import "time"

const (
	// A process is quiet when it uses less than this share of a CPU. One that spins uses all of it,
	// and the Go runtime and the waiting itself about 0.03.
	quietShare = 0.1
	// quietStep is how long it is watched at a time.
	quietStep = 250 * time.Microsecond
	// quietMost is how long is waited for it: ten times as long as OpenBLAS 0.3.21 spins.
	quietMost = time.Second
)

// Quiet waits until no thread of the process is at work: the workers of OpenBLAS spin for 0.1 s and
// more when a call has returned. It gives up after a second, where something else is at work.
func Quiet() {
	began := time.Now()
	waitQuiet(CPUTime, func() time.Duration { return time.Since(began) }, time.Sleep)
}

// waitQuiet is Quiet by the given clocks: of the work done by all CPUs for this process, and on the
// wall.
func waitQuiet(work, now func() time.Duration, sleep func(time.Duration)) {
	for end := now() + quietMost; now() < end; {
		worked, from := work(), now()
		sleep(quietStep)
		if float64(work()-worked) < quietShare*float64(now()-from) {
			return
		}
	}
}
