package blskernel_test

import (
	"fmt"
	"slices"

	"blskernel"
	"blskernel/mat"
)

// A server that computes in many goroutines at once gives each call one thread.
func ExampleSetThreads() {
	blskernel.SetThreads(1)
	fmt.Println(blskernel.Threads())
	blskernel.SetThreads(0) // as many as GOMAXPROCS, which is where it begins
	fmt.Println(blskernel.Threads() >= 1)
	// Output:
	// 1
	// true
}

// Many short products, one after the other: goroutines stand by until release is called.
func ExampleHold() {
	b := blskernel.Default()
	a := mat.NewDense(2, 2, []float64{0, 1, 1, 1})
	power := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	release := blskernel.Hold(b, 50*2*2*2*2)
	for range 50 {
		var next mat.Dense
		mat.Mul(b, &next, power, a)
		power = &next
	}
	release()
	fmt.Printf("the 50th Fibonacci number is %.0f\n", power.At(0, 1))
	// Output: the 50th Fibonacci number is 12586269025
}

// What can be used here, and why the one was chosen that was.
func ExampleNames() {
	fmt.Println(slices.Contains(blskernel.Names(), "pure"), blskernel.Reason() != "")
	// Output: true true
}
