package scaleout

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A Shard is one file of samples, with the file of their targets where that is another. The paths are
// those of Beam's file systems: of this machine without a scheme, "gs://bucket/x.npy" and the like with
// one.
type Shard struct {
	Path    string // of the samples
	Targets string // of their labels or targets, empty where the samples have them
}

// String returns the path of the samples, by which errors name a shard.
func (s Shard) String() string { return s.Path }

func init() { beam.RegisterType(reflect.TypeFor[Shard]()) }
