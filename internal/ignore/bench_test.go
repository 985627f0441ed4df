package ignore

import "testing"

// typical is a file of some fifty patterns as they are found in repositories.
const typical = `# built
/bin/
/dist
/build/
/out/
target/
*.o
*.a
*.so
*.so.*
*.dylib
*.dll
*.exe
*.class
*.jar
*.py[cod]
__pycache__/
*.egg-info/
.eggs/
.tox/
.venv/
venv/
node_modules/
bower_components/
.npm
.yarn/*
!.yarn/releases
!.yarn/plugins
*.tsbuildinfo
.next/
.nuxt/
.cache/
.parcel-cache/
coverage/
*.lcov
.nyc_output
logs
*.log
npm-debug.log*
yarn-error.log*
*.swp
*~
.DS_Store
Thumbs.db
.idea/
.vscode/*
!.vscode/settings.json
.env
.env.*
!.env.example
docs/**/_generated/*.md
**/testdata/tmp/
/vendor/**/*_test.go
*.test
*.prof
`

func paths() []string {
	return []string{
		"README.md", "internal/server/handler/middleware_auth_test.go", "src/components/Button/Button.tsx",
		"docs/guide/_generated/api.md", "web/node_modules", "pkg/a.py", "logs/2024/app.log", ".env.example",
		"vendor/github.com/some/module/file_test.go", "deep/er/and/deep/er/and/deep/er/file.txt",
	}
}

func benchMatch(b *testing.B, o Options) {
	rules, all := Parse([]byte(typical), o), paths()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		rules.Match(all[i%len(all)], false)
		i++
	}
}

func BenchmarkMatch(b *testing.B)     { benchMatch(b, Options{}) }
func BenchmarkMatchFold(b *testing.B) { benchMatch(b, Options{FoldCase: true}) }

func BenchmarkDecide(b *testing.B) {
	rules, all := Parse([]byte(typical), Options{}), paths()
	layers := []Layer{{Rules: rules}, {Rules: Parse([]byte("*.gen.go\n/tmp/\n"), Options{}), Dir: "internal"}}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Decide(layers, all[i%len(all)], false)
		i++
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse([]byte(typical), Options{})
	}
}
