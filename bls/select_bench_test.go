package bls

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkChoice has the choice of Fit alone, and Fit with it, with 500 nodes and with as many as Fit
// chooses.
func BenchmarkChoice(b *testing.B) {
	for _, l := range []int{4096, 60000} {
		x, _, labels := normalTable(1, l, 20)
		y, err := targets(labels, 2, true)
		if err != nil {
			b.Fatal(err)
		}
		for _, n3 := range []int{400, 0} {
			c := Classifier{Features: FeatureOptions{EnhancementNodes: n3}}
			s := prepare(c.options(), l, 20)
			size := fmt.Sprintf("l=%d/k=%d", l, 100+s.features.EnhancementNodes)
			b.Run("op=choice/"+size, func(b *testing.B) {
				for b.Loop() {
					if _, _, err := choose(context.Background(), s, x, y, labels, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("op=fit/"+size, func(b *testing.B) {
				for b.Loop() {
					if err := c.Fit(x, labels); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
