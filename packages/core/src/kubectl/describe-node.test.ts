import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/types.js';
import { describeNode, type NodeSurroundings } from './describe-node.js';
import { type AnyObject, fullObjects, type Printed, printedTable, selectPrinted } from './get-objects.js';

const now = Date.parse('2026-01-01T00:01:40Z');
const node: AnyObject = {
  metadata: { name: 'node1', labels: { b: '2', a: '1' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] },
  status: {
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }],
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    capacity: { memory: '8Gi', cpu: '4' },
    allocatable: { memory: '8Gi', cpu: '4' },
    nodeInfo: { kubeletVersion: 'v1.36.2' },
  },
};
const pod = (name: string, phase: string, more: object = {}): Pod =>
  ({
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:01:00Z' },
    spec: {
      containers: [
        { name: 'a', resources: { requests: { cpu: '250m', memory: '1Gi' }, limits: { memory: '2Gi' } } },
        { name: 'b', resources: { requests: { cpu: '750m' } } },
      ],
      ...more,
    },
    status: { phase },
  }) as unknown as Pod;
const around = (more: Partial<NodeSurroundings> = {}): NodeSurroundings => ({
  lease: null,
  pods: [],
  events: [],
  now,
  time: 0,
  ...more,
});
const lines = (text: string) => text.split('\n').map((l) => l.trimEnd());

describe('kubectl describe node', () => {
  it('lays out what the node is and has, in kubectl’s order', () => {
    const text = lines(describeNode(node, around()));
    expect(text.slice(0, 4)).toEqual([
      'Name:               node1',
      'Roles:              <none>',
      'Labels:             a=1',
      '                    b=2',
    ]);
    expect(text).toContain('Taints:             k=v:NoSchedule');
    const titles = text.filter((l) => /^[A-Z][\w -]*:/.test(l)).map((l) => l.slice(0, l.indexOf(':')));
    expect(titles.slice(-8)).toEqual([
      'Conditions',
      'Addresses',
      'Capacity',
      'Allocatable',
      'System Info',
      'Non-terminated Pods',
      'Allocated resources',
      'Events',
    ]);
    expect(text.find((l) => l.startsWith('  Ready'))).toMatch(/True +.*KubeletReady +kubelet is posting ready status$/);
  });
  it('adds up what pods asked for, and leaves out those that ended', () => {
    const init = { initContainers: [{ name: 'i', resources: { requests: { cpu: '2' } } }] };
    const text = lines(
      describeNode(node, around({ pods: [pod('web', 'Running'), pod('big', 'Pending', init), pod('old', 'Failed')] })),
    );
    expect(text.find((l) => l.startsWith('Non-terminated Pods:'))).toMatch(/\(2 in total\)$/);
    expect(text.find((l) => l.includes(' web '))).toMatch(/1 \(25%\) +0 \(0%\) +1Gi \(12%\) +2Gi \(25%\) +40s$/);
    // Init containers may want more than all that runs later.
    expect(text.find((l) => l.includes(' big '))).toMatch(/2 \(50%\)/);
    expect(text.find((l) => l.startsWith('  cpu '))).toBeDefined();
    expect(text.some((l) => /^ {2}cpu +3 \(75%\) +0 \(0%\)$/.test(l))).toBe(true);
    expect(text.join('\n')).not.toContain(' old ');
  });
  it('tells the lease where there is one', () => {
    const lease = { metadata: { name: 'node1' }, spec: { holderIdentity: 'node1', renewTime: '2026-01-01T00:01:30Z' } };
    const text = lines(describeNode(node, around({ lease })));
    expect(text).toContain('  HolderIdentity:  node1');
    expect(text).toContain('  AcquireTime:     <unset>');
    expect(describeNode({ metadata: { name: 'bare' } }, around())).toContain('Events:');
  });
});

describe('objects that the server prints', () => {
  const row = (name: string, namespace: string, labels: Record<string, string> = {}) => ({
    cells: [name, '1', 'long'],
    object: { metadata: { name, namespace, labels } },
    fields: { 'metadata.name': name, 'metadata.namespace': namespace },
  });
  const maps: Printed = {
    resource: 'configmaps',
    kind: 'ConfigMap',
    apiVersion: 'v1',
    namespaced: true,
    columns: [
      { name: 'Name', wide: false },
      { name: 'Data', wide: false },
      { name: 'More', wide: true },
    ],
    rows: [row('a', 'default', { app: 'x' }), row('b', 'default'), row('c', 'other')],
  };
  const options = {
    names: [],
    namespace: 'default',
    labels: [],
    fields: [],
    output: 'table',
    noHeaders: false,
  } as const;
  it('are chosen by namespace, name, label and field', () => {
    const names = (o: object) => selectPrinted(maps, { ...options, ...o }).found.map((r) => r.object.metadata.name);
    expect(names({})).toEqual(['a', 'b']);
    expect(names({ namespace: null })).toEqual(['a', 'b', 'c']);
    expect(names({ labels: [{ key: 'app', op: 'in', values: ['x'] }] })).toEqual(['a']);
    expect(names({ fields: [{ key: 'metadata.name', op: 'notin', values: ['a'] }] })).toEqual(['b']);
    expect(selectPrinted(maps, { ...options, names: ['b', 'c'] }).missing).toEqual(['c']);
    // An object without a namespace is in all of them.
    expect(selectPrinted({ ...maps, namespaced: false }, { ...options, namespace: 'x' }).found).toHaveLength(3);
  });
  it('are tables of the columns that are wanted, or objects with their kind', () => {
    const print = (o: object) => printedTable(maps, maps.rows.slice(0, 1), { ...options, showLabels: false, ...o });
    expect(print({})).toEqual([
      ['NAME', 'DATA'],
      ['a', '1'],
    ]);
    expect(print({ output: 'wide', namespace: null, showLabels: true })).toEqual([
      ['NAMESPACE', 'NAME', 'DATA', 'MORE', 'LABELS'],
      ['default', 'a', '1', 'long', 'app=x'],
    ]);
    expect(print({ noHeaders: true })).toEqual([['a', '1']]);
    expect(fullObjects(maps, maps.rows)[2]).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
    });
  });
});
