package state

import (
	"fmt"
	"strings"

	"blskernel/blsupdate/internal/api"
	"blskernel/internal/memory"
)

// Reserve returns a *memory.Error where the copies and factors of an action need more bytes than there are beside the
// state. rows is the number of rows of the action, 0 where it has none. A state asks before it changes anything.
func (b *Base) Reserve(m api.Method, action api.Action, rows int, bytes int64) error {
	what, do := action.String(), Smaller(m)
	if rows > 0 {
		what = fmt.Sprintf("%v of %d rows", action, rows)
	}
	if rows > 1 && m != api.Gram { // which copies G for one row too
		do = "take fewer rows at once, or " + strings.TrimPrefix(do, "take ")
	}
	return memory.Check(bytes, "blsupdate", do, "%s by %v with %d nodes and %d targets", what, m, b.K, b.C)
}

// Smaller says how to make the state of a method smaller.
func Smaller(m api.Method) string {
	switch m {
	case api.Original, api.Improved:
		return "take fewer nodes, or gram or qr, which keep no matrix of samples x nodes"
	case api.QR, api.InverseCholesky:
		return "take fewer nodes, or gram, which keeps half as much"
	default:
		return "take fewer nodes"
	}
}
