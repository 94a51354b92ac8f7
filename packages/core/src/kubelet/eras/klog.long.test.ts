import { beforeAll, describe, expect, it } from 'vitest';
import { wholeRun } from '../../debug/run/whole-run.js';
import { findScenario } from '../../scenario/index.js';
import { formatKlog, type RecordOf, type TraceRecord } from '../../trace/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';

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

  it('[5:N01] prints, with pods by name and UID', () => {
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
  it('[5:N02] has fields, lists without quotes and events as Go prints them', () => {
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

  it('[5:N03] has no lines of the workers, and those of the killer', () => {
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

/** Tells for each version whether a message is in the log of a scenario. */
function versionsWith(name: string, part: string): Record<string, boolean> {
  return Object.fromEntries(availableEras.map((era) => [era, find(linesOf(name, era), part).length > 0]));
}
const since = (first: EraVersion, last: EraVersion = 'v1.36') =>
  Object.fromEntries(
    availableEras.map((era) => [
      era,
      availableEras.indexOf(era) >= availableEras.indexOf(first) &&
        availableEras.indexOf(era) <= availableEras.indexOf(last),
    ]),
  );

describe('lines that date a log', () => {
  it('[5:N04] tell in v1.21 alone of a pod whose containers have ended', () => {
    expect(versionsWith('run-to-completion', 'Pod has completed and its containers have been terminated')).toEqual(
      since('v1.21', 'v1.21'),
    );
  });

  it('[5:N05] name the end of housekeeping since v1.22', () => {
    expect(versionsWith('hello', '"SyncLoop (housekeeping) end"')).toEqual(since('v1.25'));
  });

  it('[5:N06] tell since v1.22 that a worker has a new pod, and that it ends one', () => {
    expect(versionsWith('crash-loop', 'Pod is being synced for the first time')).toEqual(since('v1.25'));
    expect(versionsWith('crash-loop', 'Pod worker has observed request to terminate')).toEqual(since('v1.25'));
  });

  it('[5:N07] tell from v1.22 to v1.26 that a UID may start again', () => {
    expect(versionsWith('same-uid-again', 'Pod is restartable after termination due to UID reuse')).toEqual(
      since('v1.25', 'v1.25'),
    );
  });

  it('[5:N08] tell since v1.27 that a worker has work, and write SyncPod with a capital S', () => {
    expect(versionsWith('hello', 'Notifying pod of pending update')).toEqual(since('v1.32'));
    expect(versionsWith('hello', '"SyncPod enter"')).toEqual(since('v1.32'));
    expect(versionsWith('hello', '"syncPod enter"')).toEqual(since('v1.25', 'v1.25'));
  });

  it('[5:N09] tell since v1.27 that housekeeping starts a pod again', () => {
    expect(versionsWith('same-uid-again', 'Pod will be restarted because it is in the desired set')).toEqual(
      since('v1.32'),
    );
  });

  it('[5:N10, 5:N11] have a text of its time for a container that was created, and for a back-off', () => {
    const texts = (reason: string) =>
      availableEras.map((era) => {
        let text = '';
        const sink = (r: TraceRecord) => {
          if (r.kind === 'kube-event' && r.reason === reason) text = r.message;
        };
        wholeRun(findScenario('crash-loop'), { era, sink }).proceed();
        return text.replace(/\(\w+\)/, '(UID)');
      });
    expect(texts('Created')).toEqual([
      'Created container',
      'Created container app',
      'Created container app',
      'Created container: app',
      'Container created',
    ]);
    const named = 'Back-off restarting failed container app in pod crash-node1_default(UID)';
    const bare = 'Back-off restarting failed container';
    expect(texts('BackOff')).toEqual([bare, bare, bare, named, named]);
  });
});
