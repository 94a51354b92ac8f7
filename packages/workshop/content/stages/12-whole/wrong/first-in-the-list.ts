// The loop serves the last of two channels that were never served.
// fails: examples sync-loop-all-eight
// with: 07-sync-loop/wrong/last-of-the-list.ts
