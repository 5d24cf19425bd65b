package kernel

import (
	"reflect"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	last := table[len(table)-1]
	if last.Name != "generic" || !last.Available() {
		t.Errorf("the table ends with %q, want generic, always available", last.Name)
	}
	for _, k := range table {
		entry := reflect.ValueOf(k)
		for i := range entry.NumField() {
			if entry.Field(i).IsZero() {
				t.Errorf("kernel %q has no %s", k.Name, entry.Type().Field(i).Name)
			}
		}
	}
}

// Every usable kernel is found by name, and the first one without a name. For any other name the error
// says why it cannot be used, and lists the usable ones.
func TestChoose(t *testing.T) {
	if k, err := choose(""); err != nil || k.Name != Names()[0] {
		t.Errorf("without a name: %q, %v, the first usable kernel is %q", k.Name, err, Names()[0])
	}
	for _, name := range Names() {
		for _, given := range []string{name, strings.ToUpper(name)} {
			if k, err := choose(given); err != nil || k.Name != name {
				t.Errorf("choose(%q) = %q, %v", given, k.Name, err)
			}
		}
	}
	defer func(saved []Kernel) { table = saved }(table)
	table = append([]Kernel{{Name: "future", Available: func() bool { return false }}}, table...)
	usable := strings.Join(Names(), ", ")
	for name, why := range map[string]string{
		"future": `this CPU cannot run kernel "future"`,
		"AVX9":   `this build has no kernel "AVX9"`,
	} {
		want := EnvKernel + "=" + name + ": kernel: " + why + " (usable here: " + usable + ")"
		if k, err := choose(name); err == nil || err.Error() != want || k.Name != "" {
			t.Errorf("choose(%q) = %q, %v, want the error %s", name, k.Name, err, want)
		}
	}
	if k, err := choose(""); err != nil || k.Name == "future" {
		t.Errorf("chose %q, %v, but this machine cannot run kernel \"future\"", k.Name, err)
	}
}
