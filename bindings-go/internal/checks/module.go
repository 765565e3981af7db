// Package checks tests what the modules of Go are published as. It is a module of its own: it needs others, and
// it and the programs in its folders, which compare this language with others, are not part of what is published.
package checks

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// ModulePath is the path of the module that has the package backoff.
const ModulePath = "github.com/backoff-rs/backoff/bindings-go"

// WriteZip writes the zip file of a module that a module proxy would serve, from the files in its folder
// that Git knows.
func WriteZip(writer io.Writer, path, folder, version string) error {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = folder
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files in %s: %w", folder, err)
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		files = append(files, file{folder, name})
	}
	// It leaves out the modules in subfolders, as this one and the adapters.
	return zip.Create(writer, module.Version{Path: path, Version: version}, files)
}

type file struct{ folder, name string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.onDisk()) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.onDisk()) }
func (f file) onDisk() string               { return filepath.Join(f.folder, filepath.FromSlash(f.name)) }
