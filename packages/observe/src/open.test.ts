import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import { type OpenSource, openObservation, recognise, sourceIds } from './index.js';

const NOT_AFTER = Date.UTC(2026, 10, 23);
const ADD = 'I1122 10:00:01.000000    1432 kubelet.go:1] "SyncLoop ADD" source="file" pods=["default/web"]';
const kindOf = (name: string, text: string) => {
  const r = recognise(name, utf8Bytes(text));
  return r.is === 'source' ? r.format : r.is;
};
const source = (id: string): OpenSource => ({
  id,
  kind: 'log',
  name: `${id}.txt`,
  format: 'log',
  context: { notAfter: NOT_AFTER, startedMillis: null },
});

describe('a file is recognised', () => {
  it('as a log in any framing, whatever its name and what stands before its first line', () => {
    for (const text of [
      ADD,
      `Flag --x has been deprecated\n${ADD}`,
      `Nov 22 10:00:01 n1 kubelet[1432]: ${ADD}`,
      `2026-11-22T10:00:01+01:00 n1 kubelet[1432]: ${ADD}`,
      `2026-11-22T10:00:01.5Z stderr F ${ADD}`,
      JSON.stringify({ MESSAGE: ADD, _PID: '1432' }),
      JSON.stringify({ log: `${ADD}\n`, time: '2026-11-22T10:00:01Z' }),
      `[pod/kubelet-x/kubelet] ${ADD}`,
    ])
      expect(kindOf('x', text)).toBe('log');
    expect(kindOf('kubelet.log', 'Nov 22 10:00:01 n1 kubelet[1]: panic: boom')).toBe('log');
    expect(kindOf('', '{"ts":1795346774302.1,"caller":"a/b.go:12","msg":"m","v":4}')).toBe('log-json');
    expect(kindOf('', `__CURSOR=s=1\n_PID=1\nMESSAGE=${ADD}\n\n`)).toBe('journal-export');
  });

  it('as a part of a capture, by what is in it', () => {
    expect(kindOf('a', '{"at":94,"conn":4,"open":true}\n')).toBe('cri-bytes');
    expect(kindOf('otlp.ndjson', '{"at":5099,"b64":"CoPD"}\n')).toBe('otlp');
    expect(kindOf('a', `{"at":5,"pods":[{"metadata":{"name":"${'x'.repeat(100_000)}"}}]}`)).toBe('pods-ndjson');
    expect(kindOf('a', '{"at":5,"event":{"containerId":"b"}}')).toBe('container-events');
    expect(kindOf('m', '# HELP a b\n# TYPE a counter\na 0\n')).toBe('metrics');
    expect(kindOf('p.yaml', 'apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\nkind: List\n')).toBe('pods');
    expect(kindOf('p.json', '{\n "apiVersion": "v1",\n "kind": "PodList"}')).toBe('pods');
    expect(recognise('about.json', utf8Bytes('{"scenario":"x","startedAt":"2026-11-22T10:00:00Z"}'))).toEqual({
      is: 'about',
      startedMillis: Date.UTC(2026, 10, 22, 10),
    });
    expect(recognise('kubelet.log.gz', new Uint8Array([0x1f, 0x8b, 8]))).toEqual({ is: 'gzip' });
  });

  it('as nothing that is known, with a sentence that says what to give', () => {
    expect(recognise('a.txt', utf8Bytes('Dear all,\n'))).toEqual({
      is: 'unknown',
      why: expect.stringMatching(/No line in the first 1 KiB of “a.txt” is one that a kubelet writes: give its log/),
    });
    expect(recognise('a', new Uint8Array(9))).toMatchObject({ why: expect.stringContaining('is not text') });
    expect(recognise('a', new Uint8Array(0))).toEqual({ is: 'unknown', why: '“a” is empty.' });
  });
});

describe('an observation of files', () => {
  const bytes = gunzipSync(
    readFileSync(new URL('../../core/testdata/attach/v1.36-v2/crash-loop/kubelet.v2.log.gz', import.meta.url)),
  );

  it('is the same for pieces of any size, and knows its kubelet', () => {
    const read = (piece: number) => {
      const observation = openObservation([source('log')]);
      const records = [];
      for (let at = 0; at < bytes.length; at += piece)
        records.push(...observation.push('log', bytes.subarray(at, at + piece)));
      records.push(...observation.end('log'));
      return { records, observation };
    };
    const { records, observation } = read(1e9);
    expect(read(997).records).toEqual(records);
    expect(records.filter((r) => r.kind === 'pleg-event' && r.type === 'ContainerDied').length).toBeGreaterThan(3);
    expect(observation.facts).toMatchObject({ version: 'v1.36.2' });
    expect(observation.progress).toMatchObject([{ bytes: bytes.length, ended: true }]);
    expect(new Date((observation.epochMicros as number) / 1000).toISOString()).toBe('2026-11-22T11:32:28.312Z');
  });

  it('puts rotated files and other sources in the order of time, read in the order that it asks for', () => {
    const lines = bytes.toString().split('\n');
    const half = lines.findIndex((line) => line.includes('"SyncLoop (PLEG)'));
    const parts = new Map([
      ['new', utf8Bytes(lines.slice(half).join('\n'))],
      ['old', utf8Bytes(`${lines.slice(0, half).join('\n')}\n`)],
    ]);
    const observation = openObservation([...parts.keys()].map(source));
    const places = new Map<string, number>();
    const records = [];
    for (let id = observation.behind; id !== undefined; id = observation.behind) {
      const at = places.get(id) ?? 0;
      const text = parts.get(id) as Uint8Array;
      places.set(id, at + 512);
      records.push(...(at < text.length ? observation.push(id, text.subarray(at, at + 512)) : observation.end(id)));
    }
    const told = records.filter((r) => r.evidence).map((r) => r.evidence?.source);
    expect(told.lastIndexOf('old')).toBeLessThan(told.indexOf('new'));
    expect(records.map((r) => r.seq)).toEqual(records.map((_, i) => i + 1));
    expect(records.filter((r) => r.kind === 'evidence-source')).toHaveLength(2);
    expect(sourceIds(['log', 'cri', 'log'])).toEqual(['log', 'cri', 'log-2']);
  });
});

describe('several logs', () => {
  const line = (host: string, program: string, time: string, text: string) =>
    `Nov 22 ${time} ${host} ${program}: ${text}\n`;
  const klog = (time: string, msg: string) => `I1122 ${time}.000000    1432 kubelet.go:1] "${msg}"`;
  const observe = (texts: readonly string[]) => {
    const ids = sourceIds(texts.map(() => 'log'));
    const observation = openObservation(ids.map(source));
    const records = ids.flatMap((id, i) => observation.push(id, utf8Bytes(texts[i] as string)));
    for (const id of ids) records.push(...observation.end(id));
    const said = records.flatMap((r) => (r.kind === 'log' ? [r.msg] : []));
    return { said, share: observation.share };
  };

  it('of one node count each line once, however many of them have it', () => {
    const kubelet =
      line('n1', 'kubelet[1432]', '10:00:01', klog('10:00:01', 'a')) +
      line('n1', 'kubelet[1432]', '10:00:01', klog('10:00:01', 'a')) +
      line('n1', 'kubelet[1432]', '10:00:02', klog('10:00:02', 'b'));
    const journal = line('n1', 'systemd[1]', '10:00:00', 'Started kubelet.') + kubelet;
    const { said, share } = observe([kubelet, journal, klog('10:00:02', 'b')]);
    expect(said).toEqual(['Started kubelet.', 'a', 'a', 'b']);
    expect(share).toMatchObject({ duplicates: 4, elsewhere: 0 });
    expect(share.programs).toMatchObject([
      { program: 'kubelet', lines: 3 },
      { program: 'systemd', lines: 1 },
    ]);
  });

  it('of two nodes make the story of one', () => {
    const { said, share } = observe([
      line('n1', 'kubelet[1]', '10:00:01', klog('10:00:01', 'one')),
      line('n2', 'kubelet[1]', '10:00:01', klog('10:00:01', 'two')),
    ]);
    expect(said).toEqual(['one']);
    expect(share).toMatchObject({ elsewhere: 1, nodes: [{ name: 'n1' }, { name: 'n2' }] });
  });
});
