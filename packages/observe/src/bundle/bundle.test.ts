import { gzipSync } from 'node:zlib';
import { utf8Bytes } from '@syncloop/core/base';
import { defaultEra, loadEra } from '@syncloop/core/kubelet/era';
import { startScenario } from '@syncloop/core/scenario';
import { findScenario } from '@syncloop/core/scenario/library';
import { formatKlog, type TraceRecord } from '@syncloop/core/trace';
import { zipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { openObservation, recognise } from '../index.js';
import { bundleMakers, fileOf, type NodeLogs, tarOf } from '../testing/bundles.js';
import { unpacker } from './archive.js';
import { type BundleFile, type BundleNode, bundleOf, headOf, unpacked } from './index.js';
import { byLogName } from './log-name.js';

let nodes: readonly NodeLogs[];

/** What our own kubelet logs, as the journal of a node has it. */
function logOf(name: string, pod: string): NodeLogs {
  const records: TraceRecord[] = [];
  startScenario(findScenario('hello'), { era: defaultEra, sink: (r) => records.push(r) }).run({ until: 10e6 });
  const kubelet = records
    .flatMap((r) =>
      r.kind === 'log' && r.v <= 4
        ? formatKlog(r, { epochMillis: Date.UTC(2026, 10, 22), pid: 1432 })
            .replaceAll('hello', pod)
            .split('\n')
        : [],
    )
    .map((line) => `Nov 22 00:00:00 ${name} kubelet[1432]: ${line}\n`)
    .join('');
  return { name, kubelet };
}
beforeAll(async () => {
  await loadEra(defaultEra);
  nodes = [logOf('n1', 'first'), logOf('n2', 'second')];
});

const bytesOf = (files: { readonly [path: string]: string }, top = '') =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [top + path, utf8Bytes(text)]));

/** Names of the pods that the kubelet of a node was given. */
async function podsOf({ files }: BundleNode): Promise<string[]> {
  const sources = files.filter(({ role }) => role === 'kubelet' || role === 'journal');
  const observation = openObservation(
    sources.map((_, i) => ({
      id: `log-${i}`,
      kind: 'log',
      name: 'x',
      format: 'log',
      context: { notAfter: Date.UTC(2026, 10, 23), startedMillis: null },
    })),
  );
  const records: TraceRecord[] = [];
  for (const [i, file] of sources.entries()) {
    expect(recognise(file.path, await headOf(file, 64 * 1024))).toMatchObject({ is: 'source', kind: 'log' });
    for await (const bytes of file.open()) records.push(...observation.push(`log-${i}`, bytes));
    records.push(...observation.end(`log-${i}`));
  }
  expect(observation.share.elsewhere).toBe(0);
  return [...new Set(records.flatMap((r) => (r.kind === 'pod-config' ? r.pods.map(({ pod }) => pod) : [])))];
}

describe('a bundle', () => {
  const zipped = (files: { readonly [path: string]: Uint8Array }) => zipSync(files as { [path: string]: Uint8Array });
  const forms: readonly [string, (files: { readonly [path: string]: Uint8Array }, top: string) => BundleFile[]][] = [
    ['a folder', (files, top) => Object.entries(files).map(([path, bytes]) => fileOf(`${top}/${path}`, bytes))],
    ['tar', (files, top) => [fileOf(`${top.split('/')[0]}.tar`, tarOf(prefixed(files, `${top}/`)))]],
    ['tar.gz', (files, top) => [fileOf(`${top.split('/')[0]}.tar.gz`, gzipSync(tarOf(prefixed(files, `${top}/`))))]],
    ['zip', (files, top) => [fileOf(`${top.split('/')[0]}.zip`, zipped(prefixed(files, `${top}/`)))]],
    [
      'zip with logs that are compressed each',
      (files, top) => {
        const logs = Object.entries(files).map(([path, bytes]) => [`${top}/${path}.gz`, gzipSync(bytes)] as const);
        return [fileOf('all.zip', zipped(Object.fromEntries(logs)))];
      },
    ],
    [
      'a tar.gz in a zip',
      (files, top) => [fileOf('ticket.zip', zipped({ 'a/b.tar.gz': gzipSync(tarOf(prefixed(files, `${top}/`))) }))],
    ],
  ];
  const prefixed = (files: { readonly [path: string]: Uint8Array }, top: string) =>
    Object.fromEntries(Object.entries(files).map(([path, bytes]) => [top + path, bytes]));

  it.each(Object.keys(bundleMakers))('of %j opens in any form with the right nodes', async (kind) => {
    const maker = bundleMakers[kind] as (typeof bundleMakers)[string];
    const files = bytesOf(maker.files(nodes));
    for (const [form, made] of forms) {
      const unpackedFiles = [];
      for (const file of made(files, maker.top)) unpackedFiles.push(...(await unpacked(file)));
      const bundle = bundleOf(unpackedFiles);
      expect(bundle.kind, form).toBe(kind);
      const names = bundle.nodes.map(({ name }) => name);
      if (maker.nodes === 2) expect(names, form).toEqual(['n1', 'n2']);
      else expect(names, form).toEqual([maker.top.startsWith('eks') ? 'i-0123456789abcdef0' : 'n1']);
    }
    const [first, second] = bundleOf(
      (
        await Promise.all(Object.entries(files).map(([path, bytes]) => unpacked(fileOf(`${maker.top}/${path}`, bytes))))
      ).flat(),
    ).nodes;
    expect(await podsOf(first as BundleNode)).toEqual([expect.stringContaining('first')]);
    if (second) expect(await podsOf(second)).toEqual([expect.stringContaining('second')]);
  });

  it('of must-gather with all masters in one file has no node of its own: the lines name them', () => {
    const path = 'must-gather/host_service_logs/masters/kubelet_service.log';
    expect(bundleOf([fileOf(path, new Uint8Array(1))])).toMatchObject({
      kind: 'must-gather',
      nodes: [{ name: '', files: [{ role: 'kubelet' }] }],
    });
  });

  it('is a folder if no collector made it: with one log it is one node, with the files next to it', () => {
    const files = ['a/b/kubelet.log', 'a/b/pods.json', 'a/x/etcd.log'].map((path) => fileOf(path, new Uint8Array(1)));
    expect(bundleOf(files)).toMatchObject({
      kind: '',
      nodes: [{ name: '', files: [{ role: 'kubelet' }, { role: 'other' }] }],
    });
    expect(bundleOf(files.slice(1))).toMatchObject({ kind: '', nodes: [{ name: '', files: [{}, {}] }] });
  });
});

describe('logs in one folder', () => {
  const namesOf = (...names: string[]) => byLogName(names, (name) => name);
  it('are of several nodes if nodes name them, and rotated ones of one', () => {
    const found = namesOf('w-1.kubelet.log', 'w-2.log', 'logs/w-2.log.1', 'w-2.log.2.gz');
    expect([...(found ?? [])]).toEqual([
      ['w-1', ['w-1.kubelet.log']],
      ['w-2', ['w-2.log', 'logs/w-2.log.1', 'w-2.log.2.gz']],
    ]);
  });
  it('are of one node if programs name them, or there is one name', () => {
    expect(namesOf('kubelet.log', 'containerd.log')).toBeNull();
    expect(namesOf('w-1.log', 'crio.log')).toBeNull();
    expect(namesOf('w-1.log', 'w-1.log.1')).toBeNull();
  });
});

describe('an archive', () => {
  it('has long names, empty files, and names that lead nowhere', async () => {
    const long = `${'deep/'.repeat(40)}kubelet.log`;
    const tar = tarOf(bytesOf({ [long]: 'x', empty: '', '../../etc/passwd': 'y', '/abs': 'z' }));
    const files = await unpacked(fileOf('t.tar', tar));
    expect(files.map(({ path }) => path)).toEqual([`t/${long}`, 't/empty', 't/etc/passwd', 't/abs']);
    expect(new TextDecoder().decode(await headOf(files[0] as BundleFile, 9))).toBe('x');
    expect(files[0]?.modified).toBe(Date.UTC(2026, 10, 22));
  });

  it('is read as far as asked: a file in the middle, again and again', async () => {
    const tar = tarOf(bytesOf({ a: 'a'.repeat(5000), b: 'b'.repeat(700), c: 'c' }));
    const [, b] = await unpacked(fileOf('t.tar', tar));
    for (let i = 0; i < 2; i++)
      expect(new TextDecoder().decode(await headOf(b as BundleFile, 9999))).toBe('b'.repeat(700));
  });

  it('that is a bomb is refused', async () => {
    const bomb = fileOf('bomb.gz', gzipSync(new Uint8Array(64 * 1024 * 1024)));
    const [inner] = await unpacked(bomb);
    const drained = async () => {
      let size = 0;
      for await (const piece of (inner as BundleFile).open()) size += piece.length;
      return size;
    };
    await expect(drained()).rejects.toThrow(/^bomb.gz: it grows beyond all bounds/);
    let nested = tarOf(bytesOf({ x: 'x' }));
    const log = tarOf({ 'log.gz': gzipSync(utf8Bytes('x')) });
    const sos = gzipSync(tarOf({ 'sos.tar.gz': gzipSync(log) }));
    const four = await unpacked(fileOf('ticket.zip', zipSync({ 'must-gather.tar.gz': sos })));
    expect(four.map(({ path }) => path)).toEqual(['ticket/must-gather/sos/log']);
    for (let i = 0; i < 6; i++) nested = tarOf({ 'in.tar': nested });
    await expect(unpacked(fileOf('deep.tar', nested))).rejects.toThrow(/more than 4 deep/);
  });

  it('that is damaged says so', async () => {
    const cut = gzipSync(tarOf(bytesOf({ a: 'x'.repeat(9000) })));
    cut.fill(255, 30, 60);
    await expect(unpacked(fileOf('a.tar.gz', cut))).rejects.toThrow(/^a.tar.gz: it cannot be inflated/);
    const xz = fileOf('a.tar.xz', Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 0));
    await expect(unpacked(xz)).rejects.toThrow(/a.tar.xz: it cannot be unpacked: .* damaged/);
    // Node gives a module of CommonJS in another shape than the tests do.
    const named = unpacker((await import('xz-decompress')) as never);
    expect(unpacker({ default: named })).toBe(named);
  });
});
