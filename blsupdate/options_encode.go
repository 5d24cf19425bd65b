package blsupdate

// code writes or reads the options but for the backend. What is read is checked by Options.check.
func (o *Options) code(x *coder) {
	x.float("Options.Lambda", &o.Lambda, isLength)
	x.int("Options.Form", (*int)(&o.Form), len(formNames)-1)
	x.bool(&o.Solve)
	x.int("Options.C", (*int)(&o.C), len(modeNames)-1)
	x.signed(&o.Workspace)
}
