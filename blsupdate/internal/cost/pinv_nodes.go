package cost

// nodesSteps lists them in the order of the report.
var PinvNodesSteps = []Step{StepNodesD, StepNodesC, StepNodesAgain, StepRank, StepNodesB, StepNodesW, StepNodesPseudoinverse}

// nodesModel has the steps of an addition of p nodes, for a C of full column rank if way says nothing
// else.
func PinvNodes(s Shape, way NodesStrategy) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	steps := []StepFlops{
		Line(StepNodesD, "2klp", op(GemmTN, k, p, l)),
		Line(StepNodesC, "2klp", op(Stream, 0, 2*l*p, 0), op(GemmNN, l, p, k)),
	}
	if way.Refined {
		steps = append(steps, Line(StepNodesAgain, "4klp", op(GemmTN, k, p, l), op(GemmNN, l, p, k)))
	}
	if !way.Ridge {
		steps = append(steps, nodesRank(l, p, way))
	}
	if way.Split {
		return steps
	}
	b := Line(StepNodesB, "3lp² - 2p³/3", op(Orgqr, l, p, 0), op(Trtrs, p, p, l))
	weights := Line(StepNodesW, "2clp + 2ckp", op(GemmTN, p, c, l), op(GemmNN, k, c, p))
	switch rows := l + k + p; {
	case way.Ridge:
		weights = Line(StepNodesW, "2ckl + 2clp + 4ckp", op(GemmNN, l, c, k), op(GemmTN, p, c, l),
			op(GemmTN, p, c, k), op(GemmNN, k, c, p))
		b = Line(StepNodesB, "5(l+k)p² + 8p³/3", op(Fresh, 0, rows*p, 0), op(Stream, 0, 2*(l+k)*p, 0),
			op(Geqrf, rows, p, 0), op(Orgqr, rows, p, 0), op(Trtrs, p, p, l+k))
	case way.Rank < p:
		b = Line(StepNodesB, "2klp + 5kp² + 8p³/3", op(Geqrf, k+p, p, 0), op(Orgqr, k+p, p, 0),
			op(Trtrs, p, p, k), op(GemmNN, l, p, k))
	}
	return append(steps, b, weights,
		Line(StepNodesPseudoinverse, "2klp", op(Fresh, 0, l*(k+p), 0), op(Stream, 0, 4*l*(k+p), 0), op(GemmNT, l, k, p)))
}

// nodesRank has the step that decides the rank of C.
func nodesRank(l, p int, way NodesStrategy) StepFlops {
	var work []Operation
	formula := ""
	add := func(f string, o Operation) {
		if formula != "" {
			formula += " + "
		}
		formula, work = formula+f, append(work, o)
	}
	rows, values, pivots := l, "14 p l² + 8l³", "2pl² - 2l³/3"
	if l >= p {
		rows, values, pivots = p, "22p³", "4p³/3"
		work = append(work, op(Fresh, 0, l*p, 0), op(Stream, 0, 2*l*p, 0)) // a copy of C
		add("2lp² - 2p³/3", op(Geqrf, l, p, 0))
	}
	if way.Values {
		add(values, op(Gesvd, rows, p, 0))
	}
	if way.Split {
		add(pivots, op(Geqp3, rows, p, 0))
	}
	return Line(StepRank, formula, work...)
}

// A nodesWay is what an addition of nodes decides by the data.
type NodesStrategy struct {
	Ridge   bool // whether B is that of a ridge, for which nothing else is decided
	Rank    int  // of C; B = C⁺ if that is p
	Refined bool // whether C is made orthogonal to A twice
	Values  bool // whether its singular values were needed to decide the rank
	Split   bool // whether the columns are then added in two parts, additions of their own
}
