// Package docs tests the documentation; it has nothing but tests:
//
//   - links, anchors and paths in backquotes exist; external links are well-formed, and not followed
//   - Go blocks parse, are formatted, name what packages export, and pass go vet where they are
//     programs
//   - commands, flags, packages and make targets exist
//   - the README and the tutorial do what they say
//   - every exported type and function of the libraries is in an Example
package docs
