#!/usr/bin/env node
/** `npm run bench -- [NAME...]`: runs bench/NAME.mjs (all of them without a name); each prints JSON lines. */
import fs from 'node:fs';
import path from 'node:path';
import { build, checkNode, install, run, top } from './lib.mjs';

checkNode();
await install();
const known = fs
  .readdirSync(path.join(top, 'bench'))
  .filter((f) => f.endsWith('.mjs'))
  .map((f) => f.slice(0, -4));
const names = process.argv.slice(2).length ? process.argv.slice(2) : known;
for (const name of names)
  if (!known.includes(name)) {
    console.error(`bench: there is no bench/${name}.mjs; known: ${known.join(', ')}`);
    process.exit(2);
  }
const code = await build();
if (code !== 0) process.exit(code);
let failed = 0;
for (const name of names) if ((await run(process.execPath, [path.join('bench', `${name}.mjs`)])).code !== 0) failed++;
process.exit(failed ? 1 : 0);
