package cost

// A NodesStrategy is what the data decide when nodes are added to A⁺.
type NodesStrategy struct {
	Ridge   bool // B is that of a ridge, and nothing else is decided
	Rank    int  // of C; B = C⁺ if that is p
	Refined bool // C is made orthogonal to A twice
	Values  bool // the rank takes the singular values of C
	Split   bool // the columns are then added in two parts, as additions of their own
}

// PinvNodes has the steps of p added nodes.
func PinvNodes(s Shape, how NodesStrategy) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	d, rest := op(GemmTN, k, p, l), op(GemmNN, l, p, k)
	steps := []StepFlops{Line(StepNodesD, "2klp", d), Line(StepNodesC, "2klp", stream(2*l*p), rest)}
	if how.Refined {
		steps = append(steps, Line(StepNodesAgain, "4klp", d, rest))
	}
	if !how.Ridge {
		steps = append(steps, nodesRank(l, p, how))
	}
	if how.Split {
		return steps
	}
	b := Line(StepNodesB, "3lp² - 2p³/3", op(Orgqr, l, p, 0), op(Trtrs, p, p, l))
	weights := Line(StepNodesW, "2clp + 2ckp", op(GemmTN, p, c, l), op(GemmNN, k, c, p))
	switch rows := l + k + p; {
	case how.Ridge:
		weights = Line(StepNodesW, "2ckl + 2clp + 4ckp", op(GemmNN, l, c, k), op(GemmTN, p, c, l), op(GemmTN, p, c, k), op(GemmNN, k, c, p))
		b = Line(StepNodesB, "5(l+k)p² + 8p³/3", fresh(rows*p), stream(2*(l+k)*p),
			op(Geqrf, rows, p, 0), op(Orgqr, rows, p, 0), op(Trtrs, p, p, l+k))
	case how.Rank < p:
		b = Line(StepNodesB, "2klp + 5kp² + 8p³/3", op(Geqrf, k+p, p, 0), op(Orgqr, k+p, p, 0), op(Trtrs, p, p, k), rest)
	}
	return append(steps, b, weights,
		Line(StepNodesPseudoinverse, "2klp", fresh(l*(k+p)), stream(4*l*(k+p)), op(GemmNT, l, k, p)))
}

// nodesRank has the step that decides the rank of C.
func nodesRank(l, p int, how NodesStrategy) StepFlops {
	step := Line(StepRank, "")
	add := func(formula string, work ...Operation) {
		if step.Formula != "" {
			step.Formula += " + "
		}
		step.Formula, step.work = step.Formula+formula, append(step.work, work...)
	}
	rows, values, pivots := l, "14 p l² + 8l³", "2pl² - 2l³/3"
	if l >= p {
		rows, values, pivots = p, "22p³", "4p³/3"
		add("2lp² - 2p³/3", fresh(l*p), stream(2*l*p), op(Geqrf, l, p, 0)) // of a copy of C
	}
	if how.Values {
		add(values, op(Gesvd, rows, p, 0))
	}
	if how.Split {
		add(pivots, op(Geqp3, rows, p, 0))
	}
	return step
}
