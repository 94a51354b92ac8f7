import { describe, expect, it } from 'vitest';
import { fingerprint, fingerprints, linkIn, linkTime, momentOf, withLink } from './file-link.js';

describe('a link to a moment of a file', () => {
  it('holds the time and recognises the file', async () => {
    const log = new Blob(['I1122 a line\n'.repeat(20_000)]);
    const info = { epochMillis: Date.UTC(2026, 10, 22, 11, 26, 10, 312) + 0.436 };
    const files = await fingerprints([new Blob(['x']), log]);
    const link = { at: linkTime(info, 1_145_007), name: 'kubelet “node 1”.log', files };
    const read = linkIn(withLink('https://syncloop.dev/app?x=1#run=abc', link));
    expect(read).toEqual(link);
    expect(momentOf(info, link)).toBe(1_145_007);
    expect(files[0]).toBe(await fingerprint(new Blob([log])));
  });

  it('tells files apart by their size, their beginning and their end', async () => {
    const body = 'x'.repeat(300_000);
    const same = await fingerprint(new Blob([`a${body}a`]));
    for (const other of [`b${body}a`, `a${body}b`, `a${body}xa`])
      expect(await fingerprint(new Blob([other]))).not.toBe(same);
    expect(await fingerprint(new Blob([]))).toMatch(/^0-/);
  });

  it('is not found in anything else', () => {
    const bad = ['', '#run=abc', '#file=', '#file=%%%', `#file=${btoa('{}')}`, `#file=${btoa('["x","y"]')}`];
    const long = `#file=${btoa(JSON.stringify([1, 'n', ...Array(9).fill('1-a')]))}`;
    for (const hash of [...bad, long]) expect(linkIn(`https://x.dev/${hash}`), hash).toBe(null);
  });
});
