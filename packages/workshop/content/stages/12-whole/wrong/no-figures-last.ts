// A pod without figures is taken to use nothing.
// fails: examples eviction-no-figures
// with: 11-eviction/wrong/no-figures-last.ts
