package blskernel_test

import (
	"errors"
	"fmt"

	"blskernel"
)

func ExampleLookup() {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Name())

	_, err = blskernel.Lookup("mkl")
	fmt.Println(err)

	// The error for a known backend that cannot be used here says why and what to do.
	_, err = blskernel.Lookup("openblas")
	var missing *blskernel.UnavailableError
	if errors.As(err, &missing) {
		_ = missing.Remedy
	}
	// Output:
	// pure
	// blskernel: unknown backend "mkl"; the backends are openblas, pure and pure/KERNEL
}
