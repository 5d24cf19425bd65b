//go:build !linux

package workers

import (
	"sync/atomic"
	"time"
)

// An affinity and the functions below do nothing on systems without the system calls of Linux.
type affinity struct{}

func (*affinity) add() *workerThread   { return &workerThread{} }
func (*affinity) remove(*workerThread) {}
func (*affinity) avoidCaller()         {}
func (*affinity) takeCaller()          {}

func threadTime() time.Duration { return 0 }

const lends = false

func sleepWhile(*atomic.Int32, int32, time.Duration) {}
func wakeSleepers(*atomic.Int32, int) int            { return 0 }
