package toolfs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/toolfs/toolfs"
	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/tool"
)

// A model's calls go in as they arrived; text for the model comes out.
func Example() {
	dir, err := os.MkdirTemp("", "toolfs-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	disk, err := localfs.Root([]string{dir}, localfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer disk.Close()
	tools, err := toolfs.New(toolfs.Options{Provider: disk})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	session := &tool.Session{ID: "s1", Cwd: disk.Cwd()}
	call := func(name, arguments string) {
		result := tools.Execute(context.Background(), tool.Call{Name: name, Arguments: []byte(arguments), Session: session})
		fmt.Println(strings.ReplaceAll(result.Content[0].Text, disk.Cwd(), "/ws"))
	}
	call("write", `{"file_path":"notes.md","content":"teh end\n"}`)
	call("edit", `{"file_path":"notes.md","old_string":"teh","new_string":"the"}`)
	call("read", `{"file_path":"notes.md"}`)
	// Output:
	// <path>/ws/notes.md</path>
	// <type>file</type>
	// <content>
	// Created file
	// </content>
	// The file /ws/notes.md has been updated successfully.
	// <path>/ws/notes.md</path>
	// <type>file</type>
	// <content>
	// 1: the end
	//
	// (End of file - total 1 lines)
	// </content>
}

// Without a policy and confined to nothing, the tools are still atomic and exact.
func ExampleNew_unguarded() {
	disk, err := localfs.Host(localfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	tools, err := toolfs.New(toolfs.Options{Provider: disk, Unguarded: true, Limits: toolfs.Limits{ReadLimit: 100}})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	for _, d := range tools.Registry().Schemas(nil) {
		fmt.Println(d.Name)
	}
	// Output:
	// list
	// read
	// write
	// edit
	// glob
	// grep
}
