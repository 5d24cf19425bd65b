package blsupdate

// The steps of an addition of nodes.
const (
	StepNodesD             Step = "D = A+ H"
	StepNodesC             Step = "C = H - A D"
	StepNodesAgain         Step = "D, C once more"
	StepNodesB             Step = "B of the nodes"
	StepNodesW             Step = "[W - D B Y; B Y]"
	StepNodesPseudoinverse Step = "[A+ - D B; B]"
)

// nodesSteps lists them in the order of the report.
var nodesSteps = []Step{StepNodesD, StepNodesC, StepNodesAgain, StepRank, StepNodesB, StepNodesW, StepNodesPseudoinverse}

// nodesModel has the steps of an addition of p nodes, for a C of full column rank if way says nothing
// else.
func nodesModel(s Shape, way nodesWay) []StepFlops {
	l, k, p, c := s.L, s.K, s.P, s.C
	steps := []StepFlops{
		line(StepNodesD, "2klp", operation{gemmTN, k, p, l}),
		line(StepNodesC, "2klp", operation{stream, 0, 2 * l * p, 0}, operation{gemmNN, l, p, k}),
	}
	if way.refined {
		steps = append(steps, line(StepNodesAgain, "4klp", operation{gemmTN, k, p, l}, operation{gemmNN, l, p, k}))
	}
	if !way.ridge {
		steps = append(steps, nodesRank(l, p, way))
	}
	if way.split {
		return steps
	}
	b := line(StepNodesB, "3lp² - 2p³/3", operation{orgqr, l, p, 0}, operation{trtrs, p, p, l})
	weights := line(StepNodesW, "2clp + 2ckp", operation{gemmTN, p, c, l}, operation{gemmNN, k, c, p})
	switch rows := l + k + p; {
	case way.ridge:
		weights = line(StepNodesW, "2ckl + 2clp + 4ckp", operation{gemmNN, l, c, k}, operation{gemmTN, p, c, l},
			operation{gemmTN, p, c, k}, operation{gemmNN, k, c, p})
		b = line(StepNodesB, "5(l+k)p² + 8p³/3", operation{fresh, 0, rows * p, 0}, operation{stream, 0, 2 * (l + k) * p, 0},
			operation{geqrf, rows, p, 0}, operation{orgqr, rows, p, 0}, operation{trtrs, p, p, l + k})
	case way.rank < p:
		b = line(StepNodesB, "2klp + 5kp² + 8p³/3", operation{geqrf, k + p, p, 0}, operation{orgqr, k + p, p, 0},
			operation{trtrs, p, p, k}, operation{gemmNN, l, p, k})
	}
	return append(steps, b, weights,
		line(StepNodesPseudoinverse, "2klp", operation{fresh, 0, l * (k + p), 0}, operation{stream, 0, 4 * l * (k + p), 0}, operation{gemmNT, l, k, p}))
}

// nodesRank has the step that decides the rank of C.
func nodesRank(l, p int, way nodesWay) StepFlops {
	var work []operation
	formula := ""
	add := func(f string, o operation) {
		if formula != "" {
			formula += " + "
		}
		formula, work = formula+f, append(work, o)
	}
	rows, values, pivots := l, "14 p l² + 8l³", "2pl² - 2l³/3"
	if l >= p {
		rows, values, pivots = p, "22p³", "4p³/3"
		work = append(work, operation{fresh, 0, l * p, 0}, operation{stream, 0, 2 * l * p, 0}) // a copy of C
		add("2lp² - 2p³/3", operation{geqrf, l, p, 0})
	}
	if way.values {
		add(values, operation{gesvd, rows, p, 0})
	}
	if way.split {
		add(pivots, operation{geqp3, rows, p, 0})
	}
	return line(StepRank, formula, work...)
}
