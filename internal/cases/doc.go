// Package cases holds no code. Its tests are small inputs on which file tools for
// models have gone wrong, each with the behaviour that is right:
//
//	TestPainLog      rows of a log of faults, as case-NNN
//	TestAttackCases  deliberate attacks and races, as case-NNN
//	TestRoundTrip    what read shows can be given to edit
//
// A case is decided by what is on the disk afterwards and by the code of a failure;
// texts are held to where the contract fixes them.
package cases
