// The events come from a variable at the top, which outlives the kubelet.
// fails: recordings kubelet-restart
// with: 01-pleg/wrong/remembers-in-a-variable.ts
