package stream

// openNPZ makes the source of the array of X and, where Targets name one, of that of the targets.
func openNPZ(in *input, q *request, opt *Options) (source, error) {
	if err := in.spool(); err != nil {
		return nil, err
	}
	z, err := readArchive(in)
	if err != nil {
		return nil, err
	}
	if q.targetsOnly {
		return z.openTargets(q, opt)
	}
	var target string
	if len(q.targets) == 1 && z.members[q.targets[0]] != nil {
		target = q.targets[0]
		q = &request{inputs: q.inputs}
	}
	input, err := z.inputArray(opt, target)
	if err != nil {
		return nil, err
	}
	if q.named() {
		return nil, faultf("its columns have no names; give the inputs by number, and as target one of its arrays %s, or numbers of columns",
			listNames(z.names))
	}
	x, err := z.open(input, q, opt)
	if err != nil || target == "" {
		return x, err
	}
	y, err := z.open(target, &request{targetsOnly: true}, opt)
	if err != nil {
		x.close()
		return nil, err
	}
	return newPair(x, y, in.path, in.path)
}

// inputArray returns the name of the array of X.
func (z *archive) inputArray(opt *Options, target string) (string, error) {
	if name := opt.InputArray; name != "" {
		if z.members[name] == nil {
			return "", faultf("has no array %s; it has %s", shorten(name), listNames(z.names))
		}
		return name, nil
	}
	for _, name := range []string{"X", "x"} {
		if z.members[name] != nil && name != target {
			return name, nil
		}
	}
	var found []string
	for _, name := range z.names {
		// Other arrays than that of X may hold anything, so their errors do not matter.
		f, err := z.read(name)
		if err != nil {
			continue
		}
		f.member.Close()
		if len(f.Shape) >= 2 && name != target {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", faultf("has no array X and no other of two dimensions; name one of its arrays %s", listNames(z.names))
	case 1:
		return found[0], nil
	}
	return "", faultf("has no array X and more than one of two dimensions; name one of %s", listNames(found))
}

// openTargets makes the source of a file of targets: the named array, else y or Y, else the only one.
func (z *archive) openTargets(q *request, opt *Options) (source, error) {
	name := ""
	switch {
	case len(q.targets) == 1 && z.members[q.targets[0]] != nil:
		name = q.targets[0]
		q = &request{targetsOnly: true}
	case z.members["y"] != nil:
		name = "y"
	case z.members["Y"] != nil:
		name = "Y"
	case len(z.names) == 1:
		name = z.names[0]
	default:
		return nil, faultf("has no array y; name that of the targets among %s", listNames(z.names))
	}
	return z.open(name, q, opt)
}

// open makes the source of a member.
func (z *archive) open(name string, q *request, opt *Options) (s source, err error) {
	f, err := z.read(name)
	if err == nil {
		if s, err = newArray(f, q, opt); err != nil {
			f.member.Close()
		}
	}
	if known, ok := err.(*Error); ok {
		known.What = "array " + shorten(name) + ": " + known.What
	}
	return s, err
}
