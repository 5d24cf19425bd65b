package ui

import "runtime/debug"

// Version returns what this program was built from: the release, or the version that the go command
// makes of the revision, with +dirty where files were changed; (devel) or unknown where it makes none.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
