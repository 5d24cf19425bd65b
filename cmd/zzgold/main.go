package main

import (
	"fmt"

	"blskernel/internal/golden"
)

func main() {
	fmt.Print("a,b,c,d,y,class\n")
	s := golden.Source(17)
	for range 600 {
		var x [4]int64
		for j := range x {
			x[j] = int64(s.Uint64()%4000) - 2000
			fmt.Printf("%d.%03d,", x[j]/1000, max(x[j], -x[j])%1000)
		}
		y := x[0]*x[1]/1000 + x[2]
		class := "low"
		if y > x[3] {
			class = "high"
		}
		fmt.Printf("%d.%03d,%s\n", y/1000, max(y, -y)%1000, class)
	}
}
