package blskernel_test

import (
	"fmt"
	"slices"

	"blskernel"
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

// The backends that this process can use, and why the default was chosen.
func ExampleNames() {
	fmt.Println(slices.Contains(blskernel.Names(), "pure"), blskernel.Describe(nil).Reason != "")
	// Output: true true
}

// The limit of every kernel on this CPU: fused multiply-adds on registers.
func ExamplePeak() {
	fmt.Println(blskernel.Peak(1) > 0)
	// Output: true
}
