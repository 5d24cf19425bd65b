package stream

// unusable is the error for what is wrong with a sample.
func (a *array) unusable(fault *Error) error {
	if a.aside {
		return (*badSample)(fault)
	}
	return fault
}

// untilBad returns n and err, unless that is about a bad sample: then the number of samples before it, and
// the error only if there are none. Otherwise it is kept until they have been delivered.
func (a *array) untilBad(n int, err error) (int, error) {
	bad, isBad := err.(*badSample)
	if !isBad {
		return n, err
	}
	if n = int(bad.Row - 1 - a.row); n == 0 {
		a.row++
		return 0, bad
	}
	a.bad = bad
	return n, nil
}
