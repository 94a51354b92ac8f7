// A termination that failed counts as done.
// fails: examples pod-workers-termination-fails
// with: 05-pod-workers/wrong/failed-is-done.ts
