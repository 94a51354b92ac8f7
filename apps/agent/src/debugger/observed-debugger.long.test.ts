import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newCode } from '../links/link-code.js';
import { RecordFeed } from '../recording/record-feed.js';
import { RawClient } from '../testing/raw-socket.js';
import { ObservedDebugger } from './observed-debugger.js';

const token = 't'.repeat(43);

/** The page of attach, behind a port that somebody forwards: in a process of its own, as on a node. */
async function page(usedCodesFile: string) {
  const ends: string[] = [];
  const feed = new RecordFeed({ redact: (record) => record });
  const made = new ObservedDebugger(feed, {
    ...{ id: 'attach', title: 'n', runtime: '', node: 'n', epochMillis: 0, remedy: '', webRoot: '/nonexistent' },
    ...{ port: 0, token, forwarded: true, usedCodesFile },
    warn: (text) => ends.push(text),
    limits: { firstWaitMillis: 1 },
  });
  await made.serve();
  onTestFinished(() => made.close());
  const open = async (code: string, name: string) => {
    const client = await RawClient.connect(made.address.port, { code, page: name.repeat(20) });
    client.close();
    return client.refused?.data ?? 'in';
  };
  return { made, ends, open };
}

it('takes a link once, whether its process or the whole program starts anew with the same token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-used-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'token.used');
  const used = { status: 401, link: 'used' };
  const code = newCode(token);

  const first = await page(file);
  expect(await first.open(code, 'a')).toBe('in');
  expect(await first.open(code, 'b')).toEqual(used);
  await expect.poll(() => readFileSync(file, 'utf8'), { interval: 5 }).toContain('"used":[{');

  const { pid } = first.made;
  process.kill(pid as number, 'SIGKILL');
  await expect.poll(() => first.made.pid ?? pid, { interval: 5 }).not.toBe(pid);
  await expect.poll(() => first.open(code, 'b').catch(() => ''), { interval: 20 }).toEqual(used);
  await first.made.close();

  const second = await page(file);
  expect(await second.open(code, 'b')).toEqual(used);
  expect(await second.open(code, 'a')).toBe('in');
  expect(await second.open(newCode(token), 'b')).toBe('in');
});
