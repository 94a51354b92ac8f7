// A UID is let in again only once.
// fails: explorer same-uid
// with: 10-housekeeping/wrong/a-uid-once.ts
