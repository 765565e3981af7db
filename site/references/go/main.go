// Command main writes the reference of Go: the documentation of packages as Markdown, a page for each.
//
//	go run site/references/go/main.go FOLDER PACKAGE_FOLDER...
package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

const module = "github.com/backoff-rs/backoff/bindings-go"

func main() {
	log.SetFlags(0)
	for _, folder := range os.Args[2:] {
		if err := write(os.Args[1], folder); err != nil {
			log.Fatal(err)
		}
	}
}

func write(out, folder string) error {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	sort.Strings(paths)
	var parsed []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	_, below, _ := strings.Cut(filepath.ToSlash(filepath.Clean(folder)), "bindings-go")
	pkg, err := doc.NewFromFiles(files, parsed, module+below)
	if err != nil {
		return err
	}
	page := page{files: files, pkg: pkg}
	page.printer = pkg.Printer()
	page.printer.HeadingLevel = 3
	page.printer.HeadingID = func(*comment.Heading) string { return "" }
	page.printer.DocLinkURL = func(link *comment.DocLink) string {
		name := strings.TrimPrefix(link.Recv+"."+link.Name, ".")
		if link.ImportPath == "" {
			return "#" + anchor(name)
		}
		if rest, ours := strings.CutPrefix(link.ImportPath, module); ours {
			return "/api/go/" + pageName(rest) + ".md#" + anchor(name)
		}
		return link.DefaultURL("https://pkg.go.dev")
	}
	path := filepath.Join(out, pageName(below)+".md")
	return os.WriteFile(path, []byte(page.text()), 0o644)
}

func pageName(below string) string {
	if below == "" {
		return "backoff"
	}
	return strings.ReplaceAll(strings.TrimPrefix(below, "/"), "/", "-")
}

// anchor is what the site calls a heading.
func anchor(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), ".", "")
}

type page struct {
	files   *token.FileSet
	pkg     *doc.Package
	printer *comment.Printer
	strings.Builder
}

func (p *page) text() string {
	fmt.Fprintf(p, "# package %s\n\n```go\nimport %q\n```\n\n", p.pkg.Name, p.pkg.ImportPath)
	p.doc(p.pkg.Doc)
	p.examples(p.pkg.Examples)
	p.values("Constants", p.pkg.Consts)
	p.values("Variables", p.pkg.Vars)
	if len(p.pkg.Funcs) > 0 {
		p.WriteString("## Functions\n\n")
		p.functions(p.pkg.Funcs, "###")
	}
	for _, kind := range p.pkg.Types {
		fmt.Fprintf(p, "## %s\n\n", kind.Name)
		p.code(kind.Decl)
		p.doc(kind.Doc)
		p.examples(kind.Examples)
		p.values("", kind.Consts)
		p.values("", kind.Vars)
		p.functions(kind.Funcs, "###")
		p.functions(kind.Methods, "###")
	}
	return p.String()
}

func (p *page) doc(text string) {
	markdown := string(p.printer.Markdown(p.pkg.Parser().Parse(text)))
	isCode := false
	for line := range strings.Lines(markdown) {
		code, is := strings.CutPrefix(line, "\t")
		if line == "\n" {
			is = isCode // the fence ends after the empty line
		}
		if is != isCode {
			p.WriteString(map[bool]string{true: "```go\n", false: "```\n\n"}[is])
		}
		if !is {
			code = strings.ReplaceAll(line, "<", "&lt;")
		}
		p.WriteString(code)
		isCode = is
	}
	if isCode {
		p.WriteString("```\n")
	}
	p.WriteString("\n")
}

func (p *page) values(title string, values []*doc.Value) {
	for index, value := range values {
		if index == 0 && title != "" {
			fmt.Fprintf(p, "## %s\n\n", title)
		}
		p.code(value.Decl)
		p.doc(value.Doc)
	}
}

func (p *page) functions(functions []*doc.Func, level string) {
	for _, function := range functions {
		name := function.Name
		if function.Recv != "" {
			receiver, _, _ := strings.Cut(strings.TrimPrefix(function.Recv, "*"), "[")
			name = receiver + "." + name
		}
		fmt.Fprintf(p, "%s %s\n\n", level, name)
		function.Decl.Body = nil
		p.code(function.Decl)
		p.doc(function.Doc)
		p.examples(function.Examples)
	}
}

func (p *page) examples(examples []*doc.Example) {
	for _, example := range examples {
		var code any = example.Code
		if example.Play != nil {
			code = example.Play
		}
		p.WriteString("Example:\n\n")
		p.code(code)
		if example.Output != "" {
			fmt.Fprintf(p, "```text\n%s\n```\n\n", strings.TrimSpace(example.Output))
		}
	}
}

func (p *page) code(node any) {
	var text strings.Builder
	if err := format.Node(&text, p.files, node); err != nil {
		log.Fatal(err)
	}
	shown := text.String()
	if block, is := node.(*ast.BlockStmt); is && block != nil {
		shown = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(shown, "{"), "}"))
		shown = strings.ReplaceAll(shown, "\n\t", "\n")
	}
	fmt.Fprintf(p, "```go\n%s\n```\n\n", strings.TrimSpace(shown))
}
