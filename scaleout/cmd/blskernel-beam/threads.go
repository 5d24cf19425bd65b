package main

import (
	"context"
	"strconv"

	"blskernel"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
)

// threadsHook is run by each worker, of whatever kind, before its first bundle.
const threadsHook = "blskernel_threads"

func init() {
	hooks.RegisterHook(threadsHook, func(args []string) hooks.Hook {
		return hooks.Hook{Init: func(ctx context.Context) (context.Context, error) {
			n, err := strconv.Atoi(args[0])
			if err == nil {
				blskernel.SetThreads(n)
			}
			return ctx, err
		}}
	})
}

// setThreads bounds the threads of the workers of the jobs that are submitted from now on.
func setThreads(n int) error { return hooks.EnableHook(threadsHook, strconv.Itoa(n)) }
