package report

// methodInks has the ink of each method, the same in all plots.
var methodInks = map[string]ink{
	"original": inkVermillion, "improved": inkBlue, "gram": inkGreen, "qr": inkPurple, "ridge-inverse": inkOcher, "inverse-cholesky": inkGray, "planner": inkTeal,
}

// methodMarkers has the marker of the first variant of each.
var methodMarkers = map[string]int{
	"original": 1, "improved": 0, "gram": 2, "qr": 3, "ridge-inverse": 4, "inverse-cholesky": 5, "planner": 8,
}

// spareInks are for names that are in no table above.
var spareInks = []ink{inkRose, inkTeal, inkGray, inkOcher}

// looks gives out inks, markers and dashes in one plot, so that no two series look the same.
type looks struct {
	variants map[string]int // by method
	spare    int
}

// method returns a series by a method: its first variant has a solid line and the method's marker, and further ones
// dashed lines and other markers.
func (l *looks) method(name string) series {
	if l.variants == nil {
		l.variants = map[string]int{}
	}
	b := base(name)
	n := l.variants[b]
	l.variants[b]++
	clr, known := methodInks[b]
	if !known {
		if n == 0 {
			l.spare++
		}
		clr = spareInks[(l.spare-1)%len(spareInks)]
	}
	s := series{name: name, ink: clr, dash: n}
	s.marker = (methodMarkers[b] + 5*n) % len(markers)
	if n > 1 {
		s.marker = (methodMarkers[b] + 5*n + n) % len(markers)
	}
	return s
}
