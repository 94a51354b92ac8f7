// A pod that gets a worker again is killed in the same round.
// fails: examples housekeeping-runs-without-worker
// with: 10-housekeeping/wrong/kills-what-restarts.ts
