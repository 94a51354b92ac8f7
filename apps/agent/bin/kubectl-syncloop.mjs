#!/usr/bin/env node
// kubectl runs a program of this name on PATH as `kubectl syncloop`.
const [first, ...rest] = process.argv.slice(2);
const own = first === undefined || first === '--help' || first === '-h' || first === 'help';
process.argv.splice(
  2,
  process.argv.length,
  ...(own ? ['help', 'cluster'] : first === 'version' ? ['version'] : ['cluster', first, ...rest]),
);
await import('./syncloop.mjs');
