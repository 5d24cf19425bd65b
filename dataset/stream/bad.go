package stream

// A badSample is the error of a source for a sample that cannot be used and has been passed: what
// Options.Bad is told.
type badSample Error

func (b *badSample) Error() string { return (*Error)(b).Error() }
