//go:build race

package localfs_test

const raceEnabled = true
