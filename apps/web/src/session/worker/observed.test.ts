import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Command, FindingsAnswer, Overview } from '@syncloop/core/debug';
import { gapZh, type Json } from '@syncloop/core/trace';
import type { ObservedSession } from '@syncloop/observe/session';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { observeFiles } from './observed.js';

const MiB = 1024 * 1024;
const LOG = `I1122 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.33.1"
I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web"]
`;
const file = (bytes: Uint8Array<ArrayBuffer>) => ({
  name: 'kubelet.log',
  blob: new Blob([bytes]),
  modified: Date.UTC(2026, 10, 23),
});

/** Reads to the end. */
async function observed(bytes: Uint8Array<ArrayBuffer>, most: number) {
  const found = await observeFiles([file(bytes)], 'o', { mostRead: most });
  if (!found.session) throw new Error('nothing was found');
  await found.begun;
  while (!found.session.runState().reading?.ended) await new Promise((then) => setTimeout(then, 1));
  return found.session;
}

/** The result of a generator that works in slices. */
function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function ask(session: ObservedSession, command: Command): Json {
  let value: Json = null;
  session.execute(command, (result) => {
    if (result.ok) value = result.value ?? null;
  });
  return value;
}

describe('files that are dropped onto the page', () => {
  it('are read as far as the page has room, which is said; a small file may stand for a large one', async () => {
    // 8 MiB, of some 8 KiB.
    const bomb = gzipSync(Buffer.concat([Buffer.from(LOG), Buffer.alloc(8 * MiB, 'x\n')]));
    const session = await observed(new Uint8Array(bomb), 64 * 1024);
    const [log] = session.observation.progress;
    expect(log?.ended).toBe(true);
    // A piece more, at most.
    expect(log?.bytes).toBeGreaterThanOrEqual(64 * 1024);
    expect(log?.bytes).toBeLessThanOrEqual(96 * 1024);
    const overview = ask(session, { do: 'overview' }) as unknown as Overview;
    const [source] = overview.sources;
    expect(overview.kubelet.version).toBe('v1.33.1');
    expect(source?.state).toBe('lost');
    expect(source?.details).toMatch(/^Only its first 1 MiB were read: a page reads 1 MiB/);
    expect(gapZh(source?.details ?? '')).toMatch(/^只读取了前 1 MiB：页面对所有文件合计最多读取 1 MiB/);
    const answer = ask(session, { do: 'findings' }) as unknown as FindingsAnswer;
    const gap = answer.findings.find(({ code }) => code === 'gap');
    expect(gap?.text.en).toMatch(/^Something is missing here once: Only its first 1 MiB were read/);
    expect(gap?.text.zh).toMatch(/^此处有缺失 1 次：只读取了前 1 MiB/);
  });

  it('are read whole where there is room', async () => {
    const session = await observed(new Uint8Array(gzipSync(LOG)), MiB);
    expect(session.observation.progress).toMatchObject([{ bytes: LOG.length, pieces: 2, ended: true }]);
    expect(session.runState().reading?.read).toBe(gzipSync(LOG).length);
  });
});

describe('what a collector of logs left behind', () => {
  const line = (node: string) =>
    `I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="api" pods=["default/on-${node}"]\n`;
  const dropped = (files: { readonly [path: string]: string | Uint8Array<ArrayBuffer> }) =>
    Object.entries(files).map(([name, text]) => ({ name, blob: new Blob([text]), modified: Date.UTC(2026, 10, 23) }));
  const folder = { 'a/n1/kubelet.log': line('n1'), 'a/n2/kubelet.log': line('n2'), 'a/n1/pods/x/y.log': 'x\n' };
  const zip = () =>
    new Uint8Array(
      zipSync(Object.fromEntries(Object.entries(folder).map(([path, text]) => [path, Buffer.from(text)]))),
    );

  it('is read of one node, by default the first, as a folder and as an archive', async () => {
    for (const files of [dropped(folder), dropped({ 'a.zip': zip() })])
      for (const node of [undefined, 'n1', 'n2']) {
        const found = await observeFiles(files, 'o', { ...(node !== undefined && { node }) });
        if (!found.session) throw new Error('nothing was found');
        await found.begun;
        while (!found.session.runState().reading?.ended) await new Promise((then) => setTimeout(then, 1));
        expect(found).toMatchObject({ nodes: ['n1', 'n2'], shown: node ?? 'n1', refused: [] });
        const pods = atOnce(found.session.records()).flatMap((r) => (r.kind === 'pod-config' ? r.pods : []));
        expect(pods.map(({ pod }) => pod)).toEqual([`default/on-${node ?? 'n1'}`]);
      }
  });

  it('is refused with the reason if it cannot be unpacked', async () => {
    const xz = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4);
    expect(await observeFiles(dropped({ 'sos.tar.xz': xz }), 'o')).toEqual({
      session: null,
      refused: [{ name: 'sos.tar.xz', why: 'damaged' }],
    });
    const cut = zip();
    cut.fill(0, 40, 90);
    expect(await observeFiles(dropped({ 'a.zip': cut }), 'o')).toMatchObject({ session: null });
  });
});

const { canary, shapes } = JSON.parse(
  readFileSync(new URL('../../../../../packages/core/testdata/redaction/canaries.json', import.meta.url), 'utf8'),
) as { readonly canary: string; readonly shapes: readonly string[] };

it('takes secrets out of a log that is dropped, so that nothing that is saved or shared from there has them', async () => {
  const lines = shapes.flatMap((text, i) => {
    const head = `E0624 10:00:01.${String(i).padStart(3, '0')}000    1432 pod_workers.go:12]`;
    return [`${head} failed: ${text}`, `${head} "Error syncing pod" err=${JSON.stringify(text)}`];
  });
  const start = 'I0624 10:00:00.000000    1432 server.go:1] "Kubelet version" kubeletVersion="v1.36.0"\n';
  const blob = new Blob([start, lines.join('\n'), '\n']);
  const observed = await observeFiles([{ name: 'kubelet.log', blob, modified: Date.UTC(2026, 6, 1) }], 'x');
  if (!observed.session) throw new Error('nothing was read');
  const { session } = observed;
  await expect.poll(() => session.behind).toBeUndefined();
  const work = session.records();
  let next = work.next();
  while (!next.done) next = work.next();
  const text = JSON.stringify(next.value);
  expect(next.value.length).toBeGreaterThan(lines.length);
  expect(text).toContain('[REDACTED]');
  const at = text.indexOf(canary);
  expect(at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 50)).toBe('');
});
