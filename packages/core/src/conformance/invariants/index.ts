export { type Check, type CheckContext, type Checker, describe, type Violation } from './checker.js';
export { type Expected, nothingElseRuns, type Unsettled, unsettled } from './end-checks.js';
export { Facts } from './facts.js';
export { checkers, type Watch, watchInvariants } from './watch.js';
