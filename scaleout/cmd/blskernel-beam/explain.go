package main

import "strings"

// essence returns one line of what Beam says of a step that failed: the text that the step's error has,
// without the steps and stacks that Beam puts around it.
func essence(text string) string {
	for _, own := range []string{"scaleout: ", "blskernel-beam: "} {
		if i := strings.LastIndex(text, own); i >= 0 {
			line := text[strings.LastIndex(text[:i], "\n")+1:]
			line, _, _ = strings.Cut(line[strings.Index(line, own):], "\n")
			return strings.TrimSpace(line)
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// plain returns an error in one line, as far as it is Beam that breaks it, without the names of the
// packages that it begins with: the command's is there already.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n\tcaused by:\n", ": ")
	for _, name := range []string{"blskernel-beam: ", "scaleout: ", "stream: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}
