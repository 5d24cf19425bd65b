// Package docs tests the documentation. It contains only tests:
//
//   - links, anchors and paths in backquotes exist; external links are well-formed, but not
//     followed
//   - Go blocks parse, are formatted and use only exported names; whole programs also pass go vet
//   - commands, flags, packages and make targets exist
//   - the README and the tutorial do what they say
//   - every exported type and function of the libraries is in an Example
package docs
