package speed_test

import (
	"context"
	"fmt"
	"time"

	"blskernel/bench/speed"
)

// What is no case of this package can be timed as well, by any clock: here by one on which each call
// takes three microseconds. CPUTime is one that leaves out what other processes do.
func ExampleMeter() {
	var clock time.Duration
	m := speed.Meter{MinTime: time.Millisecond, Now: func() time.Duration { return clock }, Quiet: func() {}}
	calls := 0
	c := speed.Contender{
		Call:  func() { calls++; clock += 3 * time.Microsecond },
		Reset: func() { calls = 0 },
		Most:  100,
	}
	if err := m.Calibrate(context.Background(), &c); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f µs a call, %d calls since the last reset\n", 1e6*m.Time(&c), calls)
	// Output:
	// 3 µs a call, 100 calls since the last reset
}
