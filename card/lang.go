package card

import "strings"

// Lang is a highlighter's name for the language of the file at path, by its
// extension, or "" when it is not known. Contract section 13.5.
func Lang(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return ""
	}
	switch ext := strings.ToLower(name[dot+1:]); ext {
	case "ts", "tsx", "js", "jsx", "json", "py", "rb", "go", "rs", "java", "c", "cpp", "cs", "swift", "php",
		"sh", "yaml", "toml", "ini", "md", "mdx", "html", "css", "scss", "less", "sql", "xml", "lua":
		return ext
	case "mts", "cts":
		return "ts"
	case "mjs", "cjs":
		return "js"
	case "jsonc":
		return "json"
	case "h":
		return "c"
	case "cc", "hpp", "cxx":
		return "cpp"
	case "kt":
		return "kotlin"
	case "bash", "zsh":
		return "sh"
	case "yml":
		return "yaml"
	case "markdown":
		return "md"
	case "htm":
		return "html"
	default:
		return ""
	}
}
