//go:build !linux

package gemm

import (
	"sync/atomic"
	"time"
)

// A threadSet does nothing on this system, nor does the rest: it has no such calls.
type threadSet struct{}

func (*threadSet) add() *workerThread   { return &workerThread{} }
func (*threadSet) remove(*workerThread) {}
func (*threadSet) avoidCaller()         {}
func (*threadSet) takeCaller()          {}

func threadTime() time.Duration { return 0 }

const lends = false

func sleepWhile(*atomic.Int32, int32, time.Duration) {}
func wakeSleepers(*atomic.Int32, int)                {}
