package backoff_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	modulePath = "github.com/backoff-rs/backoff/bindings-go"
	version    = "v0.1.0"
)

// The README's commands install the module from a checkout without any proxy, and build the README's
// program, also as a static one.
func TestInstall(t *testing.T) {
	consumer := newConsumer(t)
	consumer.environment = append(consumer.environment, "GOPROXY=off")
	checkout := filepath.Join(filepath.Dir(consumer.folder), "backoff", "bindings-go")
	if err := os.CopyFS(checkout, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	blocks := readme(t, "sh")
	// The tests run on an installed library; cargo xtask install has its own tests.
	if want := "cargo xtask install --prefix ~/.local\n"; blocks[0].code != want {
		t.Fatalf("the README installs the library with %q, want %q", blocks[0].code, want)
	}
	build, static := blocks[1].code, blocks[2].code
	if !strings.HasSuffix(build, "go run .\n") {
		t.Fatalf("the README runs no program:\n%s", build)
	}
	program := readme(t, "go")[0]
	consumer.write("main.go", program.code)
	consumer.run("go mod init example.com/consumer")
	if got := consumer.run(build); !strings.HasSuffix(got, program.output) {
		t.Errorf("the README's program prints\n%s, want\n%s", got, program.output)
	}
	find, _, _ := strings.Cut(build, "\n")
	if got := consumer.run(find + "\n" + static + "unset LD_LIBRARY_PATH\n./consumer"); !strings.HasSuffix(got, program.output) {
		t.Errorf("the static program prints\n%s, want\n%s", got, program.output)
	}
	// A static program that uses the network builds without a warning.
	consumer.write("main.go", read(t, "examples/http/main.go"))
	if got := consumer.run(find + "\n" + static); got != "" {
		t.Errorf("building the static HTTP client prints\n%s", got)
	}
}

// A consumer gets the module from a proxy, runs the README's program, and then runs the other tests of
// the module it got.
func TestPackage(t *testing.T) {
	consumer := newConsumer(t)
	find, _, _ := strings.Cut(readme(t, "sh")[1].code, "\n")
	find += "\n"
	program := readme(t, "go")[0]
	consumer.write("main.go", program.code)
	consumer.run("go mod init example.com/consumer")
	if got := consumer.run(find + "go get " + modulePath + "\ngo run ."); !strings.HasSuffix(got, program.output) {
		t.Errorf("the README's program prints\n%s, want\n%s", got, program.output)
	}
	folder := consumer.run("go list -m -f '{{.Dir}}' " + modulePath)
	if want := filepath.Join(consumer.cache, modulePath+"@"+version); strings.TrimSpace(folder) != want {
		t.Fatalf("the module comes from %s, want %s", folder, want)
	}
	got := consumer.run(find + "go test -v -count=1 -skip '^Test(Package|Install)' " + modulePath + "/...")
	want := 0
	for layer := range maps.Keys(layers) {
		want += len(load[json.RawMessage](t, layer))
	}
	if count := strings.Count(got, "--- PASS: TestEveryVector/"); count != want {
		t.Errorf("%d cases passed in the package, want %d", count, want)
	}
	t.Logf("in the package %d tests and cases passed", strings.Count(got, "--- PASS: "))
}

func TestPackageSaysThatItNeedsCgo(t *testing.T) {
	command := exec.Command("go", "vet", ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "set_CGO_ENABLED_1_and_install_a_C_compiler") {
		t.Errorf("without cgo: %v\n%s", err, output)
	}
}

type consumer struct {
	t             *testing.T
	folder, cache string
	environment   []string
}

// newConsumer returns an empty module that can get modules only from a proxy, which serves this one.
// The library is installed in its home directory as the README says.
func newConsumer(t *testing.T) consumer {
	root := t.TempDir()
	c := consumer{t: t, folder: filepath.Join(root, "consumer"), cache: filepath.Join(root, "modules")}
	proxy, home := filepath.Join(root, "proxy"), filepath.Join(root, "home")
	for _, folder := range []string{c.folder, home} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	serve(t, filepath.Join(proxy, modulePath, "@v"))
	if err := os.Symlink(output(t, "pkg-config", "--variable=prefix", "backoff"), filepath.Join(home, ".local")); err != nil {
		t.Fatal(err)
	}
	vectors, err := filepath.Abs(vectors())
	if err != nil {
		t.Fatal(err)
	}
	c.environment = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"BACKOFF_VECTORS=" + vectors,
		"GOCACHE=" + output(t, "go", "env", "GOCACHE"),
		"GOMODCACHE=" + c.cache,
		"GOPROXY=file://" + filepath.ToSlash(proxy),
		"GOSUMDB=off",
		"GOTOOLCHAIN=local",
		"GOWORK=off",
		"GOFLAGS=-modcacherw",
		"CGO_CFLAGS=" + os.Getenv("CGO_CFLAGS"),
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
func serve(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"list":            version + "\n",
		version + ".info": `{"Version": "` + version + `"}`,
		version + ".mod":  string(mod),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pack(t, filepath.Join(folder, version+".zip"))
}

func pack(t *testing.T, path string) {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		names = append(names, name)
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := archive.Create(modulePath + "@" + version + "/" + name)
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive.Close(), os.WriteFile(path, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names, "internal/engine/cgo.go") {
		t.Fatalf("packed %v", names)
	}
}

func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	output, err := exec.Command(name, arguments...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return strings.TrimSpace(string(output))
}
