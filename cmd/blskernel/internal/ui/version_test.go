package ui

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	unchanged := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	for _, tc := range []struct {
		main     string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", []debug.BuildSetting{revision, changed}, "v1.2.3"},
		{"(devel)", []debug.BuildSetting{revision, unchanged}, "0123456789ab"},
		{"(devel)", []debug.BuildSetting{revision, changed}, "0123456789ab+dirty"},
		{"", []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}, "abc"},
		{"(devel)", nil, "unknown"},
		{"", []debug.BuildSetting{changed}, "unknown"},
	} {
		info := &debug.BuildInfo{Settings: tc.settings}
		info.Main.Version = tc.main
		if got := versionOf(info); got != tc.want {
			t.Errorf("%q, %v: %q; want %q", tc.main, tc.settings, got, tc.want)
		}
	}
}
