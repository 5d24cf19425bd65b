package speed_test

import (
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench/speed"
)

// Every operation has cases, and a case operands, on which any backend can be run and checked.
func ExampleCase() {
	fmt.Println(slices.Contains(speed.Operations(), "dsyrk"))
	for _, c := range speed.Cases("dsyrk") {
		fmt.Println(c, c.Flops(speed.Square(10)))
	}
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := speed.Find("dtrsm", "LUN")
	p := c.Prepare(speed.Shape{M: 30, N: 20, K: 30}, 1)
	if err := p.Check(pure); err != nil { // a *speed.WrongError where the result is wrong
		fmt.Println(err)
		return
	}
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
	// 18000 <nil>
}
