import { describe, expect, it } from 'vitest';
import { Kernel, Second } from '../kernel/index.js';
import type { RecordOf, TraceRecord } from '../trace/index.js';
import type { Status } from './container/types.js';
import { PodContainerDeletor } from './pod-container-deletor.js';
import { manifest, setup } from './testing/fake-node.js';

describe('the pass of each minute', () => {
  it('[3:GC-01] begins at once, then each minute: containers, sandboxes, log folders', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    t.run(125);
    const spans = t.of('enter').filter((e) => e.fn === 'Containers/GarbageCollect');
    expect(spans.map((e) => Math.round(e.time / Second))).toEqual([0, 60, 120]);
    const of = spans[1] as RecordOf<'enter'>;
    const end = t.of('exit').find((e) => e.of === of.seq)?.seq ?? 0;
    const calls = t
      .of('cri-call')
      .filter((c) => c.g === of.g && c.seq > of.seq && c.seq < end)
      .map((c) => c.method);
    // For containers; for sandboxes; logs are the node's own files.
    expect(calls).toEqual(['ListContainers', 'ListContainers', 'ListPodSandbox']);
  });

  it('[3:GC-03] a failure is an event of the node; the first success after it is told louder than others', () => {
    const t = setup();
    t.run(30);
    const { containerRuntime } = t.kl;
    const real = containerRuntime.garbageCollect.bind(containerRuntime);
    Object.assign(containerRuntime, {
      *garbageCollect() {
        throw new Error('rpc error: no');
      },
    });
    t.run(60);
    Object.assign(containerRuntime, { garbageCollect: real });
    t.run(120);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.reason === 'ContainerGCFailed')
        .map((e) => [e.type, e.object.kind, e.message]),
    ).toEqual([['Warning', 'Node', 'rpc error: no']]);
    expect(
      t
        .of('log')
        .filter((l) => l.msg === 'Container garbage collection succeeded')
        .map((l) => l.v),
    ).toEqual([4, 1, 4]);
  });
});

it('[3:GC-04] fifty wait to be deleted at most; the rest is dropped with a line', () => {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const deletor = new PodContainerDeletor(
    k,
    {
      *deleteContainer() {},
    },
    1,
  );
  const dead = Array.from(
    { length: 60 },
    (_, i) =>
      ({
        id: { type: 'containerd', id: `c${i}` },
        name: `n${i}`,
        state: 'exited',
        createdAt: BigInt(i),
      }) as unknown as Status,
  );
  deletor.deleteContainersInPod('', { containerStatuses: dead } as never, true);
  k.run();
  const lines = records.filter((r) => r.kind === 'log' && r.msg === 'Failed to issue the request to remove container');
  expect(lines).toHaveLength(10);
});
