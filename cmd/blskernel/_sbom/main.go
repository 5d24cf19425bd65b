// Command _sbom prints the bill of materials of a Go program, in CycloneDX's JSON: every module that is compiled into it,
// with version and checksum, and the standard library, as the go command has noted them in the program itself.
//
//	go run . PROGRAM >PROGRAM.cdx.json
//
// It is the same to the byte for the same program: the time is that of the commit, and there is no serial number. It is
// a module of its own so that nothing that uses the library depends on the format.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("sbom: want one argument, the program")
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		log.Fatalf("sbom: %v", err)
	}
}

// run writes the bill of materials of the program at path.
func run(w io.Writer, path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	sum, err := sumOf(path)
	if err != nil {
		return err
	}
	encoder := cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	return encoder.EncodeVersion(bill(filepath.Base(path), sum, info), cdx.SpecVersion1_6)
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// bill returns the bill of materials of a program with that file name and SHA-256.
func bill(name, sum string, info *debug.BuildInfo) *cdx.BOM {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	var properties []cdx.Property
	for _, key := range []string{"GOOS", "GOARCH", "CGO_ENABLED", "vcs.revision", "vcs.modified"} {
		if v, ok := settings[key]; ok {
			properties = append(properties, cdx.Property{Name: "go:" + key, Value: v})
		}
	}
	main := module(&info.Main)
	main.Type, main.Name = cdx.ComponentTypeApplication, name
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}}
	main.Properties = &properties

	goVersion := strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go")
	components := []cdx.Component{{
		BOMRef: "pkg:golang/std@" + goVersion, Type: cdx.ComponentTypeLibrary, Name: "std", Version: goVersion,
		PackageURL: "pkg:golang/std@" + goVersion,
	}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		components = append(components, module(d))
	}
	var needs []string
	for _, c := range components {
		needs = append(needs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: settings["vcs.time"], Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	return bom
}

// module returns the component that a module is. What the go command has as the sum of a module is the SHA-256 of a list
// of its files, and not of a file that could be compared, so it is a property and no hash.
func module(m *debug.Module) cdx.Component {
	at := fmt.Sprintf("pkg:golang/%s@%s", m.Path, strings.ReplaceAll(m.Version, "+", "%2B"))
	c := cdx.Component{BOMRef: at, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: at}
	if m.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}
