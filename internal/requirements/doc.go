// Package requirements holds no code. Its test checks every requirement of section 2
// of the contract, one subtest each, named by the requirement's id:
//
//	go test -run 'Requirements/R-READ-07' ./...
//
// The tests see the library from outside, as an embedder does, and keep to the
// contract's texts to the byte. Where a decision differs from the contract on
// purpose, the test holds to the decision and names it.
package requirements
