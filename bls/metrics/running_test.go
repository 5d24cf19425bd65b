package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"blskernel/mat"
)

// TestRunningFall scores a learner whose accuracy falls from 0.93 to 0.71: the fall is found within a
// few hundred rows, near its place, and reported once. As many steady streams have none.
func TestRunningFall(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		steady, falls := &Running{}, &Running{}
		found := 0
		for i := range 12000 {
			p := 0.93
			if i >= 10000 {
				p = 0.71
			}
			falls.AddClasses([]bool{rnd.Float64() < p})
			steady.AddClasses([]bool{rnd.Float64() < 0.93})
			if (i+1)%100 != 0 {
				continue
			}
			if f := steady.Fall(); f != nil {
				t.Errorf("seed %d: a fall after %d steady rows: %+v", seed, i+1, *f)
			}
			if f := falls.Fall(); f != nil {
				found++
				if i < 10000 || i > 10600 || !(math.Abs(f.WasBefore-0.93) <= 0.02) || !(math.Abs(f.Score-0.71) <= 0.12) || f.Rows > 1200 {
					t.Errorf("seed %d: after %d rows %+v", seed, i+1, *f)
				}
			}
		}
		if found != 1 {
			t.Errorf("seed %d: %d falls", seed, found)
		}
		if s := falls.Score(); !(math.Abs(s-0.74) <= 0.06) || falls.Rows != 12000 {
			t.Errorf("seed %d: score %v of %d rows", seed, s, falls.Rows)
		}
	}
}

// TestRunningTargets scores a regression whose noise is a fifth of the variance, then all of it, with
// an outlier: the score is about R², and the state survives JSON to the last bit.
func TestRunningTargets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	r := &Running{}
	batch := func(noise float64) {
		y, p := mat.NewDense(500, 2, nil), mat.NewDense(500, 2, nil)
		for i := range 500 {
			for j := range 2 {
				v := rnd.NormFloat64() * math.Sqrt(1-noise)
				p.Set(i, j, 10+v)
				y.Set(i, j, 10+v+rnd.NormFloat64()*math.Sqrt(noise))
			}
		}
		p.Set(7, 0, 1e300)
		r.AddTargets(y, p)
	}
	for range 8 {
		batch(0.2)
	}
	if s := r.Score(); !(math.Abs(s-0.8) <= 0.05) || r.Fall() != nil {
		t.Errorf("score %v", s)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again := &Running{}
	if err := json.Unmarshal(text, again); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%s becomes %+v, %v", text, again, err)
	}
	was := r.Clone()
	r.AddTargets(mat.NewDense(1, 2, []float64{10, 10}), mat.NewDense(1, 2, []float64{math.NaN(), 10}))
	if added := r.Loss - fading*was.Loss; !(math.Abs(added-maxLoss/2) <= 1e-9) {
		t.Errorf("a NaN adds %v", added)
	}
	batch(0.9)
	f := r.Fall()
	if f == nil || f.Rows < 500 || f.Rows > 1000 || !(f.Score < 0.6 && f.WasBefore > 0.75) {
		t.Errorf("%+v", f)
	}
	if !reflect.DeepEqual(was, again) {
		t.Error("a clone changes")
	}
	if !math.IsNaN((&Running{}).Score()) || (&Running{}).Fall() != nil {
		t.Error("no rows have a score")
	}
	for n, rows := 0, r.Buckets; n < len(rows)-1; n++ {
		if rows[n].Rows < rows[n+1].Rows && n < len(rows)-2 || len(rows) > 40 {
			t.Errorf("buckets %v", rows)
		}
	}
}

// TestRunningOfHuge scores targets whose squares overflow, and encodes the score.
func TestRunningOfHuge(t *testing.T) {
	var r Running
	r.AddTargets(mat.NewDense(4, 1, []float64{1e200, 3e200, -1e200, 2e200}), mat.NewDense(4, 1, []float64{1.1e200, 3e200, -1e200, 2e200}))
	if _, err := json.Marshal(&r); err != nil || !(r.Score() > 0.99) {
		t.Error(r.Score(), err)
	}
}

// TestRunningInAnyOrder bounds the number of buckets after one bucket that is out of order.
func TestRunningInAnyOrder(t *testing.T) {
	r := Running{Buckets: []Bucket{{Rows: bucketRows}, {Rows: 2 * bucketRows}, {Rows: 2 * bucketRows}, {Rows: 2 * bucketRows}, {Rows: 2 * bucketRows}}}
	r.AddClasses(make([]bool, 100*bucketRows))
	if len(r.Buckets) > 40 {
		t.Errorf("100 buckets of rows are kept in %d", len(r.Buckets))
	}
}
