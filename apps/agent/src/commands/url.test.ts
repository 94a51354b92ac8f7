import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { madeAt } from '../links/link-code.js';
import { command } from './url.js';

const pages = [
  { pid: 1, what: 'the kubelet of n', host: '127.0.0.1', port: 7330, token: 'all', observer: 'look' },
  { pid: 2, what: 'a simulated node', host: '::1', port: 7331, token: 'other' },
];

async function url(argv: readonly string[], found = pages) {
  let out = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: () => {},
    untilSignal: () => Promise.reject(new Error('not asked for')),
  };
  const code = await command.run(argv, io, () => found);
  expect(code).toBe(0);
  return out;
}
const codeOf = (link: string) => new URL(link.trim()).hash.slice('#code='.length);

describe('syncloop url', () => {
  it('prints another link each time, alone on its line', async () => {
    const one = await url(['--port', '7330']);
    const two = await url(['--port', '7330']);
    expect(one).toMatch(/^http:\/\/127\.0\.0\.1:7330\/#code=\S+\n$/);
    expect(one).not.toBe(two);
    expect(madeAt(codeOf(one), 'all')).not.toBeNull();
    expect(madeAt(codeOf(await url(['--port', '7330', '--look'])), 'look')).not.toBeNull();
  });

  it('names the address that nobody knew before; through a forwarded port, 127.0.0.1', async () => {
    const [page] = pages.map((one) => ({ ...one, address: '127.8.9.10' }));
    expect(await url([], [page] as never)).toMatch(/^http:\/\/127\.8\.9\.10:7330\/#code=\S+\n$/);
    expect(await url(['--forwarded'], [page] as never)).toMatch(/^http:\/\/127\.0\.0\.1:7330\/#code=\S+\n$/);
  });

  it('tells several apart', async () => {
    expect(await url([])).toMatch(
      /^http:\/\/127\.0\.0\.1:7330\/#code=\S+ {2}the kubelet of n\nhttp:\/\/\[::1\]:7331\/#code=\S+ {2}a simulated node\n$/,
    );
    // If all links permit the same, `--look` prints one of them.
    expect(madeAt(codeOf(await url(['--look', '--port', '7331'])), 'other')).not.toBeNull();
  });

  it('says what to do where none runs', async () => {
    await expect(url([], [])).rejects.toThrow(
      'no page of this user runs here; for one that root runs: sudo syncloop url',
    );
    await expect(url(['--port', '99'])).rejects.toThrow('at port 99');
    await expect(url(['x'])).rejects.toThrow('takes flags only');
  });

  it('makes one of a token file, which only its owner may read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'syncloop-url-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'token');
    writeFileSync(file, `${'t'.repeat(43)}\n`, { mode: 0o600 });
    const link = await url(['--ui-token-file', file, '--port', '40123'], []);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:40123\/#code=/);
    expect(madeAt(codeOf(link), 't'.repeat(43))).not.toBeNull();
    chmodSync(file, 0o644);
    await expect(url(['--ui-token-file', file], [])).rejects.toThrow(/chmod 600/);
  });
});
