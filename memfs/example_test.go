package memfs_test

import (
	"context"
	"fmt"

	"github.com/toolfs/toolfs/memfs"
	"github.com/toolfs/toolfs/vfs"
)

// What an agent did is looked at in one map; what others do meanwhile is a call.
func Example() {
	ctx := context.Background()
	fs := memfs.New(memfs.Options{Roots: []string{"/ws"}})
	if err := fs.WriteFile("/ws/notes.md", "teh end\n"); err != nil {
		fmt.Println(err)
	}

	t, err := fs.Resolve(ctx, "", "notes.md")
	if err != nil {
		fmt.Println(err)
	}
	out, err := vfs.EditText(ctx, fs, t, vfs.Edit{Old: "teh", New: "the"}, vfs.EditOptions{})
	fmt.Println(out.Count, err, fs.Files())

	fs.WriteFile("/ws/notes.md", "somebody else's words\n")
	_, err = vfs.EditText(ctx, fs, t, vfs.Edit{Old: "the", New: "an"}, vfs.EditOptions{If: out.Info.Version})
	fmt.Println(err)
	// Output:
	// 1 <nil> map[/ws/notes.md:the end
	// ]
	// cannot edit "/ws/notes.md": file changed since it was read
}

// A power cut loses what was not synced, and leaves every file whole.
func ExampleFS_CrashClone() {
	ctx := context.Background()
	fs := memfs.New(memfs.Options{NoSync: true})
	for _, name := range []string{"/a", "/b"} {
		t, _ := fs.Resolve(ctx, "", name)
		if _, err := fs.Put(ctx, t, []byte("new"), vfs.PutOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(fs.CrashClone(nil).Files())
	fmt.Println(fs.CrashClone(func(name string) bool { return name == "/b" }).Files())
	// Output:
	// map[]
	// map[/b:new]
}
