package blsupdate

// codeOptions writes or reads the options for a method, but for the backend, and checks them.
func codeOptions(x *coder, o *Options, m Method) {
	x.float("Options.Lambda", &o.Lambda, isLength)
	x.int("Options.Form", (*int)(&o.Form), len(formNames)-1)
	x.bool(&o.Solve)
	x.int("Options.C", (*int)(&o.C), len(modeNames)-1)
	x.signed(&o.Workspace)
	if err := checkOptions(*o, m); err != nil {
		x.check(false, "%v", err)
	}
}
