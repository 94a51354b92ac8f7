import { describe, expect, it } from 'vitest';
import type { NodeState, RecordOf } from '../trace/index.js';
import { initialState } from '../trace/index.js';
import { ago, humanSize, imagesTable, inspect, psTable } from './crictl.js';
import { type FoldedEvent, foldEvents } from './events.js';
import { eventTable, nodeTable, podTable, printObjects, selectEvents, selectPods } from './get.js';
import { podsOf } from './objects.js';
import { matches, parseFieldSelector, parseLabelSelector, podFields } from './selectors.js';
import { TablePrinter, tabbed } from './tabwriter.js';
import { container, ended, NOON, pod, running } from './testing/pods.js';
import { kubectlYaml } from './yaml-out.js';

const plain = { namespace: 'default', output: 'table', noHeaders: false, showLabels: false } as const;
const text = (table: readonly (readonly string[])[]) => new TablePrinter().lines(table).join('\n');

const web = pod({
  metadata: { labels: { tier: 'front', app: 'web' } },
  status: { containerStatuses: [container('app', running())] },
});
const db = pod({
  metadata: { name: 'db-node1', namespace: 'data', uid: 'u2' },
  status: {
    phase: 'Failed',
    containerStatuses: [container('app', ended(1, 'Error'), { restartCount: 12, lastState: ended(1, 'Error') })],
  },
});

describe('tables', () => {
  it('are as wide as what is in them, the last column without blanks', () => {
    expect(text(podTable([web, db], NOON, plain))).toBe(
      [
        'NAME       READY   STATUS    RESTARTS       AGE',
        'web        1/1     Running   0              5m',
        'db-node1   0/1     Error     12 (30s ago)   5m',
      ].join('\n'),
    );
  });
  it('have a namespace for all, more when wide, labels when wished', () => {
    expect(text(podTable([web], NOON, { ...plain, namespace: null, output: 'wide', showLabels: true }))).toBe(
      [
        'NAMESPACE   NAME   READY   STATUS    RESTARTS   AGE   IP         NODE    NOMINATED NODE   READINESS GATES   LABELS',
        'default     web    1/1     Running   0          5m    10.0.0.5   node1   <none>           <none>            app=web,tier=front',
      ].join('\n'),
    );
    expect(podTable([web], NOON, { ...plain, noHeaders: true })).toEqual([['web', '1/1', 'Running', '0', '5m']]);
  });
  it('of a watch only get wider', () => {
    const printer = new TablePrinter();
    printer.lines([['NAME', 'AGE']]);
    expect(printer.lines([['a', '1s']])).toEqual(['a      1s']);
    expect(printer.lines([['a-long-name', '2s']])).toEqual(['a-long-name   2s']);
    expect(printer.lines([['a', '3s']])).toEqual(['a             3s']);
  });
  it('of nodes', () => {
    const line = { name: 'n', status: 'Ready', version: 'v1.36.0', runtime: 'mock', ip: '', created: NOON - 61_000 };
    expect(text(nodeTable([line], NOON, plain))).toBe(
      'NAME   STATUS   ROLES    AGE   VERSION\nn      Ready    <none>   61s   v1.36.0',
    );
  });
});

describe('columns that line up', () => {
  const tabs = { minWidth: 0, padding: 2 };
  it('do so within neighbouring lines only', () => {
    expect(tabbed('a:\tx\nlonger:\ty\nhead:\nb:\tz', tabs)).toBe('a:       x\nlonger:  y\nhead:\nb:  z');
  });
  it('in several columns, where a line with fewer ends the inner ones', () => {
    expect(tabbed('a\tb\tc\naaa\tbbb\tccc\nx\ty\naa\tb\tc', tabs)).toBe(
      'a    b    c\naaa  bbb  ccc\nx    y\naa   b  c',
    );
  });
});

const event = (seq: number, seconds: number, more: Partial<RecordOf<'kube-event'>> = {}): RecordOf<'kube-event'> => ({
  seq,
  time: seconds * 1e6,
  g: 1,
  span: 0,
  cause: 0,
  kind: 'kube-event',
  object: { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1', fieldPath: 'spec.containers{app}' },
  type: 'Normal',
  reason: 'Pulled',
  message: 'pulled',
  ...more,
});

describe('events', () => {
  const events: readonly FoldedEvent[] = foldEvents([
    event(1, 1),
    event(2, 2, { reason: 'BackOff', type: 'Warning', message: 'Back-off\n' }),
    event(5, 30),
    event(6, 31, { object: { kind: 'Node', namespace: '', name: 'n1', uid: 'n1', fieldPath: '' }, reason: 'Starting' }),
  ]);
  it('that are the same count up, and stand where they happened last', () => {
    expect(events.map((e) => [e.reason, e.count, e.seqs])).toEqual([
      ['BackOff', 1, [2]],
      ['Pulled', 2, [1, 5]],
      ['Starting', 1, [6]],
    ]);
  });
  it('are printed with their last time; wide with their first, and how often', () => {
    expect(text(eventTable(events.slice(0, 2), { time: 61e6 }, plain))).toBe(
      [
        'LAST SEEN   TYPE      REASON    OBJECT    MESSAGE',
        '59s         Warning   BackOff   pod/web   Back-off',
        '31s         Normal    Pulled    pod/web   pulled',
      ].join('\n'),
    );
    expect(eventTable(events.slice(1, 2), { time: 61e6 }, { ...plain, output: 'wide', noHeaders: true })).toEqual([
      ['31s', 'Normal', 'Pulled', 'pod/web', 'spec.containers{app}', 'kubelet', 'pulled', '60s', '2'],
    ]);
  });
  it('of a node are in the default namespace; fields choose', () => {
    const fields = [{ key: 'involvedObject.kind', op: 'in', values: ['Node'] }] as const;
    expect(selectEvents(events, { namespace: 'default', fields }).map((e) => e.reason)).toEqual(['Starting']);
    expect(selectEvents(events, { namespace: 'kube-system', fields: [] })).toEqual([]);
  });
});

describe('selectors', () => {
  it.each([
    ['app=web', true],
    ['app==web,tier!=back', true],
    ['app!=web', false],
    ['app in (db, web)', true],
    ['app notin (db,web)', false],
    ['missing notin (x)', true],
    ['missing!=x', true],
    ['app,!missing', true],
    ['!app', false],
    ['missing', false],
    ['', true],
  ])('%s: %s', (selector, expected) => {
    expect(matches(parseLabelSelector(selector), { app: 'web', tier: 'front' })).toBe(expected);
  });
  it('take no inherited names for labels', () => {
    expect(matches(parseLabelSelector('constructor'), {})).toBe(false);
  });
  it('say what they cannot read', () => {
    expect(() => parseLabelSelector('a=b=c')).toThrow('unable to parse requirement "a=b=c"');
    expect(() => parseFieldSelector('status.phse=Running', podFields)).toThrow(
      'field label not supported: "status.phse"',
    );
    expect(() => parseFieldSelector('status.phase', podFields)).toThrow('invalid field selector "status.phase"');
  });
  it('choose pods by name, namespace, labels and fields', () => {
    const all = { names: [] as string[], namespace: null, labels: [], fields: [] };
    const names = (more: object) => selectPods([web, db], { ...all, ...more }).found.map((p) => p.metadata.name);
    expect(names({})).toEqual(['web', 'db-node1']);
    expect(names({ namespace: 'data' })).toEqual(['db-node1']);
    expect(names({ labels: parseLabelSelector('app=web') })).toEqual(['web']);
    expect(names({ fields: parseFieldSelector('status.phase!=Running', podFields) })).toEqual(['db-node1']);
    expect(selectPods([web, db], { ...all, namespace: 'default', names: ['db-node1', 'web'] })).toMatchObject({
      found: [{ metadata: { name: 'web' } }],
      missing: ['db-node1'],
    });
  });
});

describe('objects', () => {
  it('as YAML: sorted keys, lists at the level of their key, quotes only where text would be something else', () => {
    const value = {
      status: 'True',
      b: [{ name: 'x', args: ['-c', '--flag', 'a: b', "it's: so", 'trap x; y'] }, {}, []],
      a: { empty: [], none: {}, at: '2026-01-01T00:00:01Z', ip: '10.0.0.5', n: 5, port: '80', script: 'a\n  b\n' },
      lines: ['x\ny', 'tab\t', '', '#x', 'colon:'],
      left: undefined,
    };
    expect(kubectlYaml(value)).toBe(`a:
  at: "2026-01-01T00:00:01Z"
  empty: []
  ip: 10.0.0.5
  "n": 5
  none: {}
  port: "80"
  script: |
    a
      b
b:
- args:
  - -c
  - --flag
  - 'a: b'
  - 'it''s: so'
  - trap x; y
  name: x
- {}
- []
lines:
- |-
  x
  y
- "tab\\t"
- ""
- '#x'
- 'colon:'
status: "True"
`);
  });
  it('one by name is itself, more are a List', () => {
    expect(printObjects([web], 'yaml', true)).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n {2}creationTimestamp: /);
    expect(JSON.parse(printObjects([web, db], 'json', false))).toMatchObject({ kind: 'List', items: [{}, {}] });
  });
  it('are made of records where nothing else is known', () => {
    const state: NodeState = initialState();
    state.pods.u1 = {
      ...({
        worker: null,
        phase: 'Running',
        reason: '',
        statusVersion: 1,
        actions: null,
        steps: [],
        cache: null,
      } as const),
      ...{
        uid: 'u1',
        pod: 'data/db',
        desired: true,
        source: 'file',
        backoffs: {},
        probes: {},
        volumes: {},
        lastSeq: 1,
        lastTime: 1,
      },
      steps: [],
      status: JSON.parse(JSON.stringify({ ...web.status, startTime: '2026-01-01T11:00:00Z' })),
    };
    const [made] = podsOf(state, 'node1');
    expect(made).toMatchObject({
      metadata: { name: 'db', namespace: 'data', uid: 'u1', creationTimestamp: '2026-01-01T11:00:00Z' },
      spec: { nodeName: 'node1', containers: [{ name: 'app', image: 'busybox' }] },
    });
    expect(podsOf(state, 'node1', [{ ...web, spec: { ...web.spec, priority: 7 } }])[0]?.spec.priority).toBe(7);
  });
});

describe('crictl', () => {
  const state = initialState();
  const view = { sandbox: 's'.repeat(64), uid: 'u1', exitCode: null, reason: '', since: 5e6 };
  state.containers.aa1 = { ...view, id: `aa1${'0'.repeat(61)}`, name: 'app', attempt: 2, state: 'running' };
  state.containers.aa2 = { ...view, id: `aa2${'0'.repeat(61)}`, name: 'app', attempt: 1, state: 'exited', exitCode: 1 };
  state.sandboxes[view.sandbox] = {
    id: view.sandbox,
    uid: 'u1',
    pod: 'default/web',
    attempt: 0,
    state: 'ready',
    ip: '',
    since: 0,
  };
  it('lists those that run, with -a all', () => {
    expect(psTable(state, 65e6, false).slice(1)).toEqual([
      ['aa10000000000', '', 'About a minute ago', 'Running', 'app', '2', 'sssssssssssss', 'web', 'default'],
    ]);
    expect(psTable(state, 65e6, true).map((r) => r[3])).toEqual(['STATE', 'Running', 'Exited']);
  });
  it('inspects by the beginning of an id', () => {
    expect(JSON.parse(inspect(state, 'aa1', 'container') ?? '')).toMatchObject({ status: { name: 'app', attempt: 2 } });
    expect([inspect(state, 'aa', 'container'), inspect(state, 'zz', 'container')]).toEqual(['many', null]);
  });
  it('writes ages and sizes as docker does', () => {
    expect([0, 1e6, 59e6, 61e6, 3e9, 3.6e9, 2e11].map(ago)).toEqual([
      'Less than a second ago',
      '1 second ago',
      '59 seconds ago',
      'About a minute ago',
      '50 minutes ago',
      'About an hour ago',
      '2 days ago',
    ]);
    expect([512, 2_166_802, 49e6].map(humanSize)).toEqual(['512B', '2.17MB', '49MB']);
    expect(
      imagesTable([{ id: 'sha256:0123456789abcdef', tags: ['localhost:5000/x:dev', 'b/y:1'], size: 5e6 }]),
    ).toEqual([
      ['IMAGE', 'TAG', 'IMAGE ID', 'SIZE'],
      ['b/y', '1', '0123456789abc', '5MB'],
      ['localhost:5000/x', 'dev', '0123456789abc', '5MB'],
    ]);
  });
});
