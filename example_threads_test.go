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

// What can be used here, and why the one was chosen that was.
func ExampleNames() {
	fmt.Println(slices.Contains(blskernel.Names(), "pure"), blskernel.Describe(nil).Reason != "")
	// Output: true true
}
