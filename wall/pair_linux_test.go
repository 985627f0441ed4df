package wall

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/toolfs/toolfs/localfs"
	"github.com/toolfs/toolfs/sandbox"
	"github.com/toolfs/toolfs/vfs"
)

// BenchmarkPairWall compares a guarded write of 1 KiB behind the wall with the same one
// in process, in turn, so that whatever else the machine does meets both.
func BenchmarkPairWall(b *testing.B) {
	for _, sync := range []bool{true, false} {
		for _, size := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%d/sync=%t", size, sync), func(b *testing.B) { pairWall(b, size, sync) })
		}
	}
}

func pairWall(b *testing.B, size int, sync bool) {
	ws, _ := places(b)
	f := behind(b, ws, Options{}, func(o *localfs.Options) { o.NoSync = !sync })
	bare, err := localfs.Host(f.Options())
	if err != nil {
		b.Fatal(err)
	}
	defer bare.Close()
	policy := sandbox.Policy{Mode: sandbox.WorkspaceWrite, WorkspaceRoot: ws}
	write := func(p vfs.Provider, name string) func() time.Duration {
		to := target(b, p, filepath.Join(ws, name))
		data := [2][]byte{bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("b"), size)}
		if _, err := p.Put(b.Context(), to, data[1], vfs.PutOptions{Sandbox: policy}); err != nil {
			b.Fatal(err)
		}
		n := 0
		return func() time.Duration {
			o := vfs.PutOptions{If: vfs.IfVersion(vfs.VersionOf(data[(n+1)%2])), Sandbox: policy}
			begun := time.Now()
			_, err := p.Put(b.Context(), to, data[n%2], o)
			took := time.Since(begun)
			if err != nil {
				b.Fatal(err)
			}
			n++
			return took
		}
	}
	ours, floor := write(f, "ours"), write(bare, "floor")
	var o, p, ratios []float64
	for n := 0; b.Loop(); n++ {
		var x, y time.Duration
		if n%2 == 0 {
			x = ours()
			y = floor()
		} else {
			y = floor()
			x = ours()
		}
		o, p, ratios = append(o, float64(x)), append(p, float64(y)), append(ratios, float64(x)/float64(y))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(o)/1e3, "ours-µs")
	b.ReportMetric(median(p)/1e3, "floor-µs")
	b.ReportMetric(median(ratios), "ratio")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
