// One variable says for the workers of all pods whether a goroutine is awake.
// fails: recordings static-pod-update
// with: 05-pod-workers/wrong/one-variable-for-all.ts
