import { beforeAll, describe, expect, it } from 'vitest';
import { wholeRun } from '../../debug/run/whole-run.js';
import { findScenario } from '../../scenario/index.js';
import { formatKlog, type RecordOf } from '../../trace/index.js';
import { type EraVersion, loadEras } from '../era/index.js';

beforeAll(() => loadEras());

/** The lines of a scenario up to `-v`, as that version's kubelet writes them, without header but with file and line. */
function linesOf(name: string, era: EraVersion, v = 4): string[] {
  const lines: string[] = [];
  const { proceed } = wholeRun(findScenario(name), {
    era,
    sink: (r) => {
      if (r.kind === 'log' && (r.severity !== 'I' || r.v <= v)) lines.push(lineOf(r));
    },
  });
  proceed();
  return lines;
}
const lineOf = (r: RecordOf<'log'>) => formatKlog(r, { epochMillis: 0 }).replace(/^(.).*? (\S+:\d+)\] /s, '$1 $2 ');
const plain = (text: string) => text.replace(/[0-9a-f]{32,}/g, 'ID');
const find = (lines: readonly string[], part: string) => lines.filter((line) => line.includes(part)).map(plain);

describe('the log of v1.12', () => {
  const lines = () => linesOf('hello', 'v1.12');

  it('prints, with pods by name and UID [5:N01]', () => {
    expect(find(lines(), 'SyncLoop (ADD')).toContain(
      'I kubelet.go:1928 SyncLoop (ADD, "file"): "hello-node1_default(ID)"',
    );
    expect(find(lines(), 'SyncLoop (PLEG)')[0]).toBe(
      'I kubelet.go:1974 SyncLoop (PLEG): "hello-node1_default(ID)", event: &pleg.PodLifecycleEvent{ID:"ID", Type:"ContainerStarted", Data:"ID"}',
    );
  });

  it('has no line with fields at all', () => {
    expect(lines().filter((line) => /^\w \S+ "/.test(line))).toEqual([]);
  });
});

describe('the log of v1.21', () => {
  it('has fields, lists without quotes and events as Go prints them [5:N02]', () => {
    const lines = linesOf('hello', 'v1.21');
    expect(find(lines, 'SyncLoop ADD')).toContain(
      'I kubelet.go:1944 "SyncLoop ADD" source="file" pods=[default/hello-node1]',
    );
    expect(find(lines, 'SyncLoop (PLEG)')[0]).toMatch(/ event=&\{ID:ID Type:ContainerStarted Data:ID\}$/);
    expect(find(lines, '"GenericPLEG"')[0]).toBe(
      'I generic.go:155 "GenericPLEG" podUID=ID containerID="ID" oldState=non-existent newState=running',
    );
  });

  it('calls what PLEG has written an error', () => {
    expect(find(linesOf('hello', 'v1.21'), 'PLEG: Write status')[0]).toBe(
      'E generic.go:389 "PLEG: Write status" pod="default/hello-node1"',
    );
  });

  it('has no lines of the workers, and those of the killer [5:N03]', () => {
    const lines = linesOf('crash-loop', 'v1.21');
    for (const absent of ['SyncPod enter', 'Notifying pod', 'Processing pod event', 'being synced for the first time'])
      expect(find(lines, absent)).toEqual([]);
    expect(find(lines, '"Killing unwanted pod"')).not.toEqual([]);
  });
});

it('v1.25 writes a text of several lines as a block, v1.21 in quotes', () => {
  const find1 = (era: EraVersion) => linesOf('slow-runtime', era).find((line) => line.includes('"Probe failed"')) ?? '';
  expect(find1('v1.25')).toContain("output=<\n\tcat: can't open '/tmp/ready': No such file or directory\n >");
  expect(find1('v1.21')).toContain(`output="cat: can't open '/tmp/ready': No such file or directory\\n"`);
});

it('v1.32 writes fields as today, and says what was renamed as it was', () => {
  const lines = linesOf('hello', 'v1.32');
  expect(find(lines, 'SyncLoop ADD').at(-1)).toMatch(
    /^I kubelet.go:\d+ "SyncLoop ADD" source="file" pods=\["default\/hello-node1"\]$/,
  );
  expect(find(lines, 'invoking callback')).toEqual([]);
});
