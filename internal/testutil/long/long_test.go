package long

import "testing"

func TestOnly(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv(Variable, value)
		ran := false
		t.Run(Variable+"="+value, func(t *testing.T) {
			Only(t)
			ran = true
		})
		if Asked() != want || ran != want {
			t.Errorf("%s=%s: asked %t, ran %t", Variable, value, Asked(), ran)
		}
	}
}
