package ui

import "runtime/debug"

// Version returns what this program was built from: the release, or the version that the go command
// makes of the revision, with +dirty where files were changed; the revision alone where it makes none;
// or unknown.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+dirty"
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision[:min(12, len(revision))] + changed
}
