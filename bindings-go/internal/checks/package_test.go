package checks

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

const folder = "../.." // of the module

var version = fmt.Sprintf("v%d.%d.%d", engine.VersionMajor, engine.VersionMinor, engine.VersionPatch)

// The zip file has what the package is compiled from and no file of a test program or another module.
func TestZipHasTheFilesOfTheModule(t *testing.T) {
	names := names(t, zipOf(t), ModulePath)
	for _, name := range []string{
		"ADAPTERS.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-CRATES", "README.md", "docs/retry.md", "go.mod", "retry.go", "cenkalti/waits.go", "backoffhttp/transport.go",
		"sharedbudget/budget.go", "internal/engine/constants.go", "internal/engine/core.go", "internal/engine/plain/plain.go", "internal/engine/cgo.go",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".go") && filepath.Dir(name) != "docs" && !slices.Contains([]string{"ADAPTERS.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-CRATES", "README.md", "go.mod"}, name) ||
			strings.HasPrefix(name, "internal/checks") || strings.HasPrefix(name, "adapters") || strings.HasSuffix(name, "main.go") && name != "examples/http/main.go" {
			t.Errorf("%s is in the zip file", name)
		}
	}
	// No internal package is for tests alone.
	packages := output(t, "go", "list", "-C", folder, "-f", "{{.ImportPath}} {{join .Imports \",\"}}", "./...")
	for line := range strings.Lines(packages) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(","+imports+",", ",testing,") {
			t.Errorf("%s imports testing", path)
		}
		_, name, isInternal := strings.Cut(path, "/internal/")
		if isInternal && !slices.Contains([]string{"delays", "engine", "engine/plain", "shared"}, name) {
			t.Errorf("the module has the internal package %s", name)
		}
	}
	if mod := read(t, folder+"/go.mod"); strings.Contains(mod, "require") {
		t.Errorf("the module requires others:\n%s", mod)
	}
}

// The zip file of an adapter has its package and the licences, and is that of a module.
func TestZipsOfAdapters(t *testing.T) {
	folders, err := filepath.Glob(folder + "/adapters/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no adapters: %v", err)
	}
	for _, adapter := range folders {
		name := filepath.Base(adapter)
		path := ModulePath + "/adapters/" + name
		var packed bytes.Buffer
		if err := WriteZip(&packed, path, adapter, version); err != nil {
			t.Fatal(err)
		}
		names := names(t, packed.Bytes(), path)
		for _, want := range []string{"LICENSE-APACHE", "LICENSE-MIT", "go.mod", name + ".go"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s: %s is missing", name, want)
			}
		}
		for _, file := range names {
			if strings.Contains(file, "/") {
				t.Errorf("%s has %s, which no user imports", name, file)
			}
		}
		for _, licence := range []string{"LICENSE-APACHE", "LICENSE-MIT"} {
			if read(t, adapter+"/"+licence) != read(t, folder+"/"+licence) {
				t.Errorf("%s has another %s", name, licence)
			}
		}
		if mod := read(t, adapter+"/go.mod"); !strings.HasPrefix(mod, "module "+path+"\n") || strings.Contains(mod, "replace") || !strings.Contains(mod, ModulePath+" "+version+"\n") {
			t.Errorf("%s:\n%s", name, mod)
		}
	}
}

// The READMEs' commands install the module, from a proxy and from a clone, in an environment without a C
// compiler; its program runs; and the program that it builds for containers needs nothing at all.
func TestInstall(t *testing.T) {
	get, checkout, build := block(t, 0), fromClone(t), block(t, 1)
	if !strings.HasPrefix(get, "go get ") || !strings.Contains(checkout, "-replace=") || !strings.Contains(build, "GOOS=windows") {
		t.Fatalf("the README installs with\n%s\n%s\n%s", get, checkout, build)
	}
	program, output := firstProgram(t)
	for name, install := range map[string]string{"proxy": get, "clone": checkout} {
		t.Run(name, func(t *testing.T) {
			consumer := newConsumer(t)
			consumer.write("main.go", program)
			consumer.run("go mod init example.com/consumer")
			if name == "clone" {
				consumer.environment = append(consumer.environment, "GOPROXY=off")
				unzip(t, consumer.folder+"/../backoff/bindings-go")
			}
			consumer.run(install)
			if got := consumer.run("go vet ./... && go run ."); got != output {
				t.Errorf("the README's program prints\n%s, want\n%s", got, output)
			}
			if modules := consumer.run("go list -m all"); strings.Count(modules, "\n") != 2 {
				t.Errorf("the program needs the modules\n%s", modules)
			}
			consumer.run(build)
			checkIsStatic(t, consumer.folder+"/static")
			static := exec.Command(consumer.folder + "/static")
			static.Env = []string{}
			if got, err := static.CombinedOutput(); err != nil || string(got) != output {
				t.Errorf("the static program: %v\n%s", err, got)
			}
		})
	}
}

// A tool in the module that others install, which go install builds from the proxy's files alone.
func TestGoInstall(t *testing.T) {
	consumer := newConsumer(t)
	consumer.run("go install " + ModulePath + "/examples/http@" + version)
	checkIsStatic(t, filepath.Join(consumer.home, "go/bin/http"))
}

// A consumer runs the module's own tests on the module that it got.
func TestPackage(t *testing.T) {
	consumer := newConsumer(t)
	consumer.run("go mod init example.com/consumer && go get " + ModulePath + "/...")
	found := consumer.run("go list -f '{{.Dir}}' -m " + ModulePath)
	if want := filepath.Join(consumer.cache, ModulePath+"@"+version); strings.TrimSpace(found) != want {
		t.Fatalf("the module comes from %s, want %s", found, want)
	}
	got := consumer.run("go test -v -count=1 " + ModulePath + "/...")
	if skipped := strings.Count(got, "--- SKIP: "); skipped > 0 {
		t.Errorf("%d tests skip", skipped)
	}
	for test, want := range map[string]int{"TestEveryRequest/": 4500, "TestEveryVector/": 500, "TestRequests/": 100, "TestRetryLoops/Retry/": 90} {
		if count := strings.Count(got, "--- PASS: "+test); count < want {
			t.Errorf("%d cases of %s passed in the package, want %d", count, test, want)
		}
	}
	t.Logf("in the package %d tests and cases passed", strings.Count(got, "--- PASS: "))
}

// A reader of the zip file can run its tests: those that need the repository skip and say so, and no other.
func TestZipAlone(t *testing.T) {
	consumer := newConsumer(t)
	consumer.folder = filepath.Join(consumer.home, "unpacked")
	unzip(t, consumer.folder)
	consumer.environment = slices.DeleteFunc(consumer.environment, func(variable string) bool {
		return strings.HasPrefix(variable, "BACKOFF_VECTORS=") || strings.HasPrefix(variable, "GOPROXY=")
	})
	consumer.environment = append(consumer.environment, "GOPROXY=off")
	got := consumer.run("go vet ./... && go test -v -count=1 ./...")
	const sentence = "the vectors are in the repository, not in the module"
	skipped, said := strings.Count(got, "--- SKIP: "), strings.Count(got, sentence)
	if skipped != said || skipped != 6 || !strings.Contains(got, "--- SKIP: TestEveryVector ") {
		t.Errorf("%d tests skip and %d say why:\n%s", skipped, said, got)
	}
}

// checkIsStatic fails if a program needs an interpreter or a shared library.
func checkIsStatic(t *testing.T, path string) {
	t.Helper()
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	libraries, err := program.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("%s needs %v (%v)", path, libraries, err)
	}
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Errorf("%s has an interpreter", path)
		}
	}
}

type consumer struct {
	t                   *testing.T
	folder, cache, home string
	environment         []string
}

// newConsumer returns an empty folder, in an environment in which the go command can get modules only from a
// proxy that serves this one, and knows no C compiler.
func newConsumer(t *testing.T) consumer {
	t.Helper()
	root := t.TempDir()
	c := consumer{
		t:      t,
		folder: filepath.Join(root, "consumer"),
		cache:  filepath.Join(root, "modules"),
		home:   filepath.Join(root, "home"),
	}
	for _, folder := range []string{c.folder, c.home} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	proxy := filepath.Join(root, "proxy")
	serve(t, filepath.Join(proxy, ModulePath, "@v"))
	c.environment = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + c.home,
		"BACKOFF_VECTORS=" + vectors(t),
		"CGO_ENABLED=0", // the default on a machine without a C compiler
		"GOCACHE=" + output(t, "go", "env", "GOCACHE"),
		"GOMODCACHE=" + c.cache,
		"GOPROXY=file://" + filepath.ToSlash(proxy),
		"GOSUMDB=off",
		"GOTOOLCHAIN=local",
		"GOWORK=off",
		"GOFLAGS=-modcacherw",
	}
	return c
}

func (c consumer) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c consumer) run(script string) string {
	c.t.Helper()
	command := exec.Command("sh", "-ec", script)
	command.Dir, command.Env = c.folder, c.environment
	output, err := command.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return string(output)
}

// serve writes the files that a module proxy serves for this module.
func serve(t *testing.T, at string) {
	t.Helper()
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"list":            version + "\n",
		version + ".info": `{"Version": "` + version + `"}`,
		version + ".mod":  read(t, folder+"/go.mod"),
		version + ".zip":  string(zipOf(t)),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func zipOf(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	if err := WriteZip(&packed, ModulePath, folder, version); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// names returns the files of a module in a zip file.
func names(t *testing.T, packed []byte, path string) []string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range archive.File {
		name, ok := strings.CutPrefix(file.Name, path+"@"+version+"/")
		if !ok {
			t.Errorf("%s is not in the module's folder", file.Name)
		}
		names = append(names, name)
	}
	return names
}

// unzip makes a checkout of the module, with the files of its zip file.
func unzip(t *testing.T, at string) {
	t.Helper()
	for _, name := range names(t, zipOf(t), ModulePath) {
		path := filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(read(t, filepath.Join(folder, name))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// block returns a fenced sh block of the README.
func block(t *testing.T, number int) string {
	t.Helper()
	blocks := strings.Split(read(t, folder+"/README.md"), "```sh\n")
	if len(blocks) < number+2 {
		t.Fatalf("the README has %d commands", len(blocks)-1)
	}
	block, _, _ := strings.Cut(blocks[number+1], "```\n")
	return block
}

// fromClone returns the commands of the project's README that install the module from a clone.
func fromClone(t *testing.T) string {
	t.Helper()
	var commands strings.Builder
	for line := range strings.Lines(read(t, folder+"/../README.md")) {
		if command, ok := strings.CutPrefix(line, "- `go mod "); ok {
			commands.WriteString("go mod " + strings.ReplaceAll(strings.Replace(command, "`", "", 1), "=PATH/", "=../backoff/"))
		}
	}
	return commands.String()
}

// firstProgram returns the first program of the README and its output.
func firstProgram(t *testing.T) (program, output string) {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, folder+"/README.md"), "```go\n")
	program, rest, _ = strings.Cut(rest, "```\n\n```text\n")
	output, _, _ = strings.Cut(rest, "```\n")
	if !strings.HasPrefix(program, "package main\n") || output == "" {
		t.Fatalf("the README begins with no program, but with\n%s", program)
	}
	return program, output
}

// vectors returns the folder of the vectors.
func vectors(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("BACKOFF_VECTORS")
	if folder == "" {
		folder = "../../../tests/vectors"
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	output, err := exec.Command(name, arguments...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return strings.TrimSpace(string(output))
}
