package speed_test

import (
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench/speed"
)

// Every operation has cases, and a case operands, on which any backend can be run.
func ExampleCase() {
	fmt.Println(slices.Contains(speed.Operations(), "dsyrk"))
	for _, c := range speed.Cases("dsyrk") {
		fmt.Println(c, c.Flops(10))
	}
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := speed.Find("dtrsm", "LUN")
	p := c.Prepare(30, 1)
	call := p.Bind(pure)
	for range 3 {
		p.Reset()
		call()
	}
	fmt.Println(p.Flops(), p.Err())
	// Output:
	// true
	// dsyrk UN 1000
	// dsyrk UT 1000
	// dsyrk LN 1000
	// dsyrk LT 1000
	// 27000 <nil>
}
