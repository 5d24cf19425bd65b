package metrics

import (
	"math"
	"slices"

	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
)

const (
	panicTargets = "metrics: the shapes of targets and predictions differ, or the number of targets has changed"

	fading     = 0.999 // weight of a row in the running score, relative to the next row
	bucketRows = 32    // rows of a bucket before any merge
	sameSize   = 4     // largest number of buckets of one size; beyond it the two oldest are merged
	minRows    = 100   // smallest number of rows on either side of a fall
	falseAlarm = 0.002 // probability of a false alarm
	maxLoss    = 4     // largest loss of a row in regression
)

// A Running scores predictions that were made before their rows were learned, and detects falls in the
// score. The zero value has no rows. The fields are the whole state and can be encoded as JSON.
//
// The score in classification is the accuracy. In regression with targets y and predictions p it is 1
// minus the mean over rows and targets of min(4, (y-p)²/v). Here v is the variance of the target in the
// rows so far. This is an R² in which the loss of a row is at most 4. Each row has 0.999 times the
// weight of the next, so that the last few thousand rows determine the score.
//
// Falls are detected as in ADWIN. Sums over the rows are kept in buckets, whose sizes grow with their
// age, at most four of each size. At a boundary between buckets, m0 is the mean loss of the n0 >= 100
// rows before it, and m1 of the n1 >= 100 rows after it. The score has fallen if
//
//	m1 - m0 > sqrt(2 s² L/n) + 2 b L/(3 n),  1/n = 1/n0 + 1/n1,  L = ln(2 ln(n0+n1)/0.002),
//
// where s² is the variance of all losses and b their bound, 1 for classification and 4 for regression.
// The rows before the fall are then forgotten, so that each fall is reported once.
//
//	source: A. P. Dawid, Statistical theory: the prequential approach, J. R. Stat. Soc. A 147
//	(1984); A. Bifet and R. Gavaldà, Learning from time-changing data with adaptive windowing,
//	SDM 2007.
type Running struct {
	Rows    int64    `json:"rows"`
	Loss    float64  `json:"loss"` // sum in which older rows fade, like Weight
	Weight  float64  `json:"weight"`
	Buckets []Bucket `json:"buckets"` // the oldest first
	Targets []Moment `json:"targets,omitempty"`
}

// A Bucket holds the number of rows in a run of rows, and the sums of their losses and squared losses.
type Bucket struct {
	Rows    int64   `json:"rows"`
	Loss    float64 `json:"loss"`
	Squares float64 `json:"squares"`
}

// A Moment holds the number of rows, the mean of a target, and the sum of its squared deviations.
type Moment struct {
	Rows   float64 `json:"rows"`
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
	Scale  int     `json:"scale,omitempty"` // Mean is divided by 2^Scale, and Spread by its square, so that neither overflows
}

// scaled returns v divided by 2^Scale, which it first raises if the square of v could overflow.
func (t *Moment) scaled(v float64) float64 {
	if _, exponent := math.Frexp(v); exponent-t.Scale > 400 {
		by := exponent - t.Scale
		t.Mean, t.Spread, t.Scale = math.Ldexp(t.Mean, -by), math.Ldexp(t.Spread, -2*by), exponent
	}
	return math.Ldexp(v, -t.Scale)
}

// A Fall reports that the last Rows rows have the score Score, and that the Before rows before them had
// the higher score WasBefore.
type Fall struct {
	Rows, Before     int64
	Score, WasBefore float64
}

// Clone returns a deep copy of r.
func (r *Running) Clone() *Running {
	out := *r
	out.Buckets, out.Targets = slices.Clone(r.Buckets), slices.Clone(r.Targets)
	return &out
}

// AddClasses adds classified rows. right[i] says whether row i was predicted correctly.
func (r *Running) AddClasses(right []bool) {
	for _, ok := range right {
		if ok {
			r.add(0)
		} else {
			r.add(1)
		}
	}
}

// AddTargets adds rows with targets y and predictions p, both l×c. A NaN in p counts as the largest
// loss, so that the score does not become NaN.
//
//	panics: if the shapes differ, or c differs from the c of an earlier call.
func (r *Running) AddTargets(y, p *mat.Dense) {
	l, c := y.Dims()
	if rows, cols := p.Dims(); rows != l || cols != c || len(r.Targets) != 0 && len(r.Targets) != c {
		panic(panicTargets)
	}
	if len(r.Targets) == 0 {
		r.Targets = make([]Moment, c)
	}
	for i := range l {
		for j, v := range y.RawRowView(i) {
			t := &r.Targets[j]
			v = t.scaled(v)
			t.Rows++
			from := v - t.Mean
			t.Mean += from / t.Rows
			t.Spread += float64(from * (v - t.Mean))
		}
	}
	for i := range l {
		var loss float64
		for j, v := range y.RawRowView(i) {
			t := r.Targets[j]
			e := math.Ldexp(v, -t.Scale) - math.Ldexp(p.At(i, j), -t.Scale)
			if square := float64(e * e); square != 0 {
				square = min(maxLoss, square/(t.Spread/t.Rows))
				if math.IsNaN(square) {
					square = maxLoss
				}
				loss += square / float64(c)
			}
		}
		r.add(loss)
	}
}

func (r *Running) add(loss float64) {
	r.Rows++
	r.Loss, r.Weight = float64(fading*r.Loss)+loss, float64(fading*r.Weight)+1
	n := len(r.Buckets)
	if n == 0 || r.Buckets[n-1].Rows >= bucketRows {
		r.Buckets = append(r.Buckets, Bucket{})
		r.merge()
		n = len(r.Buckets)
	}
	last := &r.Buckets[n-1]
	last.Rows++
	last.Loss += loss
	last.Squares += float64(loss * loss)
}

// merge joins the two oldest buckets of each size that occurs more than sameSize times, smallest first.
// It counts the buckets wherever they are: JSON from elsewhere may have them in any order.
func (r *Running) merge() {
	for size := int64(bucketRows); ; size *= 2 {
		first := slices.IndexFunc(r.Buckets, func(b Bucket) bool { return b.Rows == size })
		count := 0
		for _, b := range r.Buckets {
			if b.Rows == size {
				count++
			}
		}
		if count <= sameSize {
			return
		}
		a, b := &r.Buckets[first], r.Buckets[first+1]
		*a = Bucket{a.Rows + b.Rows, a.Loss + b.Loss, a.Squares + b.Squares}
		r.Buckets = slices.Delete(r.Buckets, first+1, first+2)
	}
}

// Score returns the running score, or NaN if there are no rows.
func (r *Running) Score() float64 { return 1 - r.Loss/r.Weight }

// Fall returns the fall in the score that exceeds its bound the most, and forgets the rows before it.
// It returns nil if there is no fall.
func (r *Running) Fall() *Fall {
	var all Bucket
	for _, b := range r.Buckets {
		all = Bucket{all.Rows + b.Rows, all.Loss + b.Loss, all.Squares + b.Squares}
	}
	n, bound := float64(all.Rows), 1.0
	if r.Targets != nil {
		bound = maxLoss
	}
	mean := all.Loss / n
	variance := max(0, all.Squares/n-float64(mean*mean))
	l := detmath.Log(2 * detmath.Log(max(n, 3)) / falseAlarm)
	var fall *Fall
	var before Bucket
	excess, cut := 0.0, 0
	for i, b := range r.Buckets {
		n0, n1 := float64(before.Rows), float64(all.Rows-before.Rows)
		if before.Rows >= minRows && all.Rows-before.Rows >= minRows {
			m0, m1 := before.Loss/n0, (all.Loss-before.Loss)/n1
			inverse := 1/n0 + 1/n1
			if by := m1 - m0 - math.Sqrt(float64(2*variance*l*inverse)) - float64(2*bound*l*inverse/3); by > excess {
				excess, cut = by, i
				fall = &Fall{all.Rows - before.Rows, before.Rows, 1 - m1, 1 - m0}
			}
		}
		before = Bucket{before.Rows + b.Rows, before.Loss + b.Loss, 0}
	}
	r.Buckets = slices.Delete(r.Buckets, 0, cut)
	return fall
}
