export { type Check, type CheckContext, type Checker, describe, type Violation } from './checker.js';
export { type EndProblems, type ExpectedEnd, endProblems, nothingElseRuns } from './end-checks.js';
export { Facts } from './facts.js';
export { checkerOf, checkers, invariantNames, type Watch, watchInvariants } from './watch.js';
