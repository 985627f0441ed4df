package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolfs/toolfs/tool"
)

// writeCall is a write of n bytes of source code, as a model sends it.
func writeCall(n int) []byte {
	const line = "\tif err := f(ctx, \"naïve\"); err != nil { return err }\n"
	content := strings.Repeat(line, n/len(line)+1)[:n]
	return tool.AppendJSON(nil, tool.Object{{Name: "file_path", Value: "src/main.go"}, {Name: "content", Value: content}})
}

func BenchmarkDecodeArgs(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"1KiB", 1 << 10}, {"1MiB", 1 << 20}} {
		in := writeCall(size.n)
		b.Run(size.name+"/DecodeArgs", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.DecodeArgs(in); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(size.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				var m map[string]any
				if err := json.Unmarshal(in, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	args, err := tool.DecodeArgs(writeCall(1 << 20))
	if err != nil {
		b.Fatal(err)
	}
	content, _ := args.String("content")
	dst := make([]byte, 0, 2<<20)
	b.Run("AppendJSON", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			dst = tool.AppendJSON(dst[:0], content)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if _, err := json.Marshal(content); err != nil {
				b.Fatal(err)
			}
		}
	})
}
