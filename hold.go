package blskernel

// Hold prepares b for many calls, of about so many flops in all, by one caller, and returns a function
// that the caller calls once when they are done. Between the two the pure backend keeps goroutines
// standing by, as SetThreads(n) does for good: with the default, SetThreads(0), short calls would
// otherwise be too short to start goroutines for. It does nothing where goroutines stand by already,
// where the work is too little, and for other backends. Results do not depend on it. A nil b stands for
// Default().
//
//	defer blskernel.Hold(b, 2*float64(n)*float64(n)*float64(n))()
//
// The routines of package lapack do so by themselves.
func Hold(b Backend, flops float64) (release func()) {
	if h, ok := Or(b).(interface{ Hold(float64) func() }); ok {
		return h.Hold(flops)
	}
	return func() {}
}
