// Command external shows how another module uses blskernel. The replace line in go.mod points to a
// checkout, blas64.Use makes gonum run on the kernels of blskernel, and a model learns from added rows.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"

	"blskernel"
	"blskernel/blsupdate"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func main() {
	// From here on gonum's mat uses this backend.
	blas64.Use(blskernel.Default())

	// 300 samples of 20 features, with targets from known weights.
	r := rand.New(rand.NewPCG(1, 2))
	truth := random(r, 20, 1)
	a, ax := random(r, 200, 20), random(r, 100, 20)
	var y, ya mat.Dense
	y.Mul(a, truth)
	ya.Mul(ax, truth)

	// Learn from the first 200 samples, then from the other 100.
	model, err := blsupdate.New(blsupdate.Improved, a, &y, blsupdate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := model.AddInputs(ax, &ya); err != nil {
		log.Fatal(err)
	}
	w, err := model.Weights()
	if err != nil {
		log.Fatal(err)
	}
	w.Sub(w, truth)
	if diff := w.Norm(2); !(diff < 1e-12) {
		log.Fatalf("the weights are off by %g", diff)
	}
	fmt.Printf("%d samples on backend %s: the weights are recovered\n", model.Samples(), blskernel.Default().Name())
}

func random(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, r.NormFloat64())
		}
	}
	return m
}
