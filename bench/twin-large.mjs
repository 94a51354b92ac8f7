/**
 * `npm run bench -- twin --large`: the time until `syncloop twin` has compared five minutes of a large log, from the
 * start of its process on. The log is of 110 pods, of which one is replaced each minute, and makes 2.4 million records.
 * `SYNCLOOP_TURNS=20` makes it smaller. The five minutes begin in the first tenth of the log, in the middle and near
 * its end: what comes before them is read for the state that it leaves, and what comes after them is not read.
 */
import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { logOfNode } from './log-of-node.mjs';

const PROGRAM = fileURLToPath(new URL('../apps/agent/bin/syncloop.mjs', import.meta.url));
/** Minutes of the log; each makes 1,090 records. */
const TURNS = Number(process.env.SYNCLOOP_TURNS ?? 2200);
const PART = 5 * 60_000;

export async function large() {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-bench-large-'));
  const file = join(folder, 'kubelet.log');
  try {
    const log = logOfNode(TURNS);
    await pipeline(Readable.from(log.pieces()), createWriteStream(file));
    const parts = {};
    for (const share of [0.1, 0.5, 0.95]) parts[`at ${share * 100} %`] = await compared(file, log, share);
    return { megabytes: Math.round(statSync(file).size / 1e6), parts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compared(file, { from, until }, share) {
  const begin = Math.round(from + (until - from) * share);
  const at = (millis) => new Date(millis).toISOString();
  const argv = [PROGRAM, 'twin', file, '--tries', '0', '--json', '--from', at(begin), '--to', at(begin + PART)];
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: 1e9 }).catch((err) => {
    // 1: a decision differs.
    if (err.code === 1) return err;
    throw err;
  });
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
  // The log lacks lines that a real one has, so how many decisions are the same says nothing.
  return { seconds, compared: JSON.parse(stdout).verdict.compared };
}
