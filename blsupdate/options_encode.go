package blsupdate

// code writes or reads the options for a method, but for the backend, and checks them.
func (o *Options) code(x *coder, m Method) {
	x.float("Options.Lambda", &o.Lambda, isLength)
	x.int("Options.Form", (*int)(&o.Form), len(formNames)-1)
	x.bool(&o.Solve)
	x.int("Options.C", (*int)(&o.C), len(modeNames)-1)
	x.signed(&o.Workspace)
	if err := o.check(m); err != nil {
		x.check(false, "%v", err)
	}
}
