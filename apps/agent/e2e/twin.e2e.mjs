/** A twin follows a kubelet: the player plays a capture as a live node, `syncloop attach --twin` re-enacts it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Player } from './player.mjs';

const PROGRAM = fileURLToPath(new URL('../bin/syncloop.mjs', import.meta.url));
const CAPTURE = fileURLToPath(
  new URL('../../../packages/core/testdata/attach/v1.36-v4/kubelet-restart', import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), 'syncloop-twin-e2e-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('attach --twin says since when both agree, and how far behind it is', { timeout: 120_000 }, async () => {
  const player = new Player(CAPTURE, folder, { now: true });
  player.write(1);
  const origin = await player.serve();
  const child = spawn(
    process.execPath,
    [PROGRAM, 'attach', '--log', player.log, '--kubelet', origin, '--twin', '--twin-every', '1s', '--no-ui'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  const ending = new AbortController();
  try {
    const agreed = new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`attach ended with ${code}: ${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (/twin: The twin is [\d.]+ s behind; agrees since \d\d:\d\d:\d\d UTC, (\d+) of \1 decisions/.test(said))
          resolve();
      });
    });
    void player.play({ signal: ending.signal });
    await agreed;
    assert.doesNotMatch(said, /has given up|difference/);
  } finally {
    ending.abort();
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    await player.close();
  }
});
