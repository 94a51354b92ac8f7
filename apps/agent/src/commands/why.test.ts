import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer } from '@syncloop/core/debug';
import { bytesSource, openRecording, type TraceRecord } from '@syncloop/core/trace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { main } from '../main.js';

async function syncloop(...argv: string[]) {
  let out = '';
  let err = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  };
  return { code: await main(argv, io), out, err };
}

let folder: string;
let file: string;
let records: TraceRecord[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'why-'));
  file = `${folder}/crash.syncloop`;
  await syncloop('simulate', 'crash-loop', '--until', '46s', '--record', file);
  records = [...openRecording(bytesSource(readFileSync(file)))];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const why = (...argv: string[]) => syncloop('why', file, ...argv);

it('tells why a container was restarted: from its exit to the call, with rules and what they saw', async () => {
  const { code, out, err } = await why('--container', 'crash-node1/app', '--what', 'restart');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^The kubelet asks the runtime: StartContainer for container app of crash-node1\. Decided by /);
  const line = (text: string) => out.split('\n').findIndex((l) => l.includes(text));
  const order = [
    'fact: In the runtime: container app of crash-node1 has exited with code 1',
    'PLEG puts ContainerDied',
    'ShouldContainerBeRestarted → start',
    'doBackOff → back off',
    'asks the runtime: StartContainer',
  ].map((text) => line(text) - (text.includes('asks') ? 0 : 0));
  expect(order.slice(0, 4)).toEqual([...order.slice(0, 4)].sort((a, b) => a - b));
  expect(Math.min(...order.slice(0, 4))).toBeGreaterThan(0);
  expect(out).toContain('pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff');
  const call = records.findLast((r) => r.kind === 'cri-call' && r.method === 'StartContainer') as TraceRecord;
  expect(out).toMatch(new RegExp(`^[│·] ${call.seq} +[\\d.]+s  call: The kubelet asks`, 'm'));
});

it('tells all of it as JSON', async () => {
  const start = records.findLast((r) => r.kind === 'cri-call' && r.method === 'StartContainer') as TraceRecord;
  const brief = JSON.parse((await why('--cri', String(start.seq), '--json')).out) as Answer;
  const full = JSON.parse((await why('--record', String(start.seq), '--full', '--json')).out) as Answer;
  expect([brief.subject, full.subject]).toEqual([start.seq, start.seq]);
  expect(full.links.length).toBe(brief.links.length + brief.hidden);
  expect(full.hidden).toBe(0);
});

it('tells why something is not so, in both languages', async () => {
  const en = await why('--not-restarted', 'default/crash-node1/app');
  const zh = await why('--not-restarted', 'crash-node1/app', '--lang', 'zh');
  expect([en.code, zh.code]).toEqual([0, 0]);
  expect(en.out).toMatch(/^- back-off \(\d+\): /m);
  expect(zh.out).toMatch(/^- back-off \(\d+\): .*[一-鿿]/m);
  expect((await why('--pending', 'crash-node1')).out).toMatch(/^- is-running/m);
  expect((await why('--not-ready', 'crash-node1')).code).toBe(0);
  expect((await why('--not-probed', 'crash-node1/app', '--probe-type', 'liveness')).code).toBe(0);
  expect((await why('--not-run', 'crash-node1')).code).toBe(0);
});

it('answers as of a record', async () => {
  const first = records.find((r) => r.kind === 'cri-call' && r.method === 'StartContainer') as TraceRecord;
  const { out } = await why('--container', 'crash-node1/app', '--at', String(first.seq), '--json');
  expect((JSON.parse(out) as Answer).subject).toBe(first.seq);
  expect((await why('--pod', 'crash-node1', '--field', 'phase')).out).toContain('getPhase → Running');
  expect((await why('--wait', 'syncLoop')).out).toMatch(/^syncLoop waits for something on configCh/);
  expect((await why('--worker', 'crash-node1')).code).toBe(0);
});

it.each([
  [[], 'nothing to explain is named: give one of --record, --cri, --container, --field'],
  [['--record', '3', '--pending', 'web'], '--record and --pending are two questions: ask one at a time'],
  [['--container', 'app'], '--container is "app", but must be a pod and a container, such as web/app'],
  [['--container', 'web/app', '--what', 'strat'], '--what is "strat" (did you mean start?)'],
  [['--pending', 'web', '--what', 'start'], '--what goes with --container only'],
  [['--field', 'phase'], '--field needs a pod: give it with --pod'],
  [['--pod', 'web'], 'nothing to explain is named: give one of'],
  [['--record', '3', '--lang', 'de'], '--lang is "de", but must be one of en, zh'],
])('refuses %j', async (argv, err) => {
  expect(await why(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(err) });
});

it.each([
  [['--pending', 'nobody'], 'there is no pod "nobody"; known are: default/crash-node1'],
  [['--record', '9999999'], 'record 9999999 is not in memory, which has 1 to '],
  [['--wait', 'nobody'], 'there is no goroutine "nobody"; there are: '],
])('says what is not there: %j', async (argv, err) => {
  expect(await why(...argv)).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`${file}: ${err}`) });
});

it('shows nothing that would steer a terminal', async () => {
  const evil = `${folder}/evil.jsonl`;
  await syncloop('export', file, '--format', 'ndjson', '-o', evil);
  writeFileSync(evil, readFileSync(evil, 'utf8').replaceAll('crash-node1', 'crash-\\u001b[31mnode1'));
  const { code, out } = await syncloop('why', evil, '--container', 'crash-\u001b[31mnode1/app');
  expect(code).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  expect(out).toContain('crash-?[31mnode1');
});

it('answers of a log of a real kubelet, whose records take more than one slice of work', async () => {
  const log = new URL(
    '../../../../packages/core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz',
    import.meta.url,
  );
  const observed = `${folder}/observed.syncloop`;
  expect(await syncloop('import', fileURLToPath(log), '-o', observed)).toMatchObject({ code: 0 });
  const { code, out, err } = await syncloop('why', observed, '--container', 'crash-node1/app', '--what', 'restart');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/exited \(code 1\)|exit code 1|code 1/);
});
