import { int64 } from '../../cri/index.js';
import { background, Second } from '../../kernel/index.js';
import type { ContractCase } from './contract.js';
import { idle, missing, script } from './scripts.js';

/** Statistics of containers and sandboxes. */
export const statsCases: readonly ContractCase[] = [
  {
    name: 'of a running container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, script('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 3600'));
      const { stats } = yield* c.s.containerStats(background, { containerId: id });
      const s = yield* c.status(id);
      c.same([stats?.attributes?.id, stats?.attributes?.metadata], [id, s.metadata], 'attributes');
      c.sameMap(stats?.attributes?.labels, s.labels ?? {}, 'labels');
      c.sameMap(stats?.attributes?.annotations, s.annotations ?? {}, 'annotations');
      c.insist(int64(stats?.cpu?.timestamp) > int64(s.startedAt), 'the time is a current one');
      c.insist(int64(stats?.memory?.workingSetBytes?.value) > 0n, 'memory');
      c.same(stats?.memory?.availableBytes, {}, 'memory that is left, without a limit');
      c.same(stats?.cpu?.usageNanoCores, {}, 'how much it computes is not known at the first look');
      yield* c.eventually('its CPU time is reported', function* () {
        const again = yield* c.s.containerStats(background, { containerId: id });
        return int64(again.stats?.cpu?.usageCoreNanoSeconds?.value) > 0n;
      });
    },
  },
  {
    name: 'its writable layer is reported some seconds later',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('echo some text > /tmp/file; sleep 3600'));
      const layer = function* () {
        return (yield* c.s.containerStats(background, { containerId: id })).stats?.writableLayer;
      };
      // containerd looks at snapshots every ten seconds.
      const reported = function* () {
        return int64((yield* layer())?.timestamp) > 0n;
      };
      yield* c.eventually('it is reported', reported, 40 * Second, Second / 2);
      const found = yield* layer();
      c.insist((found?.fsId?.mountpoint ?? '').startsWith('/'), 'its file system');
      c.insist(int64(found?.usedBytes?.value) > 0n && int64(found?.inodesUsed?.value) > 0n, 'what it takes');
    },
  },
  {
    name: 'CPU time only grows',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), script('while true; do :; done'));
      const used = function* () {
        const { stats } = yield* c.s.containerStats(background, { containerId: id });
        return int64(stats?.cpu?.usageCoreNanoSeconds?.value);
      };
      const first = yield* used();
      yield* c.eventually('it grows', function* () {
        return (yield* used()) > first;
      });
    },
  },
  {
    name: 'of a container that does not run',
    *run(c) {
      const id = yield* c.start(yield* c.sandbox(), ['true']);
      yield* c.exited(id);
      const text = yield* c.fails(c.s.containerStats(background, { containerId: id }), 'Unknown');
      c.same(text, 'unexpected metrics response: []', 'the text');
    },
  },
  {
    name: 'of what does not exist',
    *run(c) {
      yield* c.fails(c.s.containerStats(background, { containerId: missing }), 'NotFound', 'not found');
      yield* c.fails(c.s.podSandboxStats(background, { podSandboxId: missing }), 'NotFound', missing);
    },
  },
  {
    name: 'ListContainerStats, filtered; those that do not run are there without numbers',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const labels = { role: 'counted' };
      const running = yield* c.start(sandbox, idle, { labels });
      const other = yield* c.start(sandbox, idle, { metadata: { name: 'other' }, labels: { role: 'other' } });
      const exited = yield* c.start(sandbox, ['true'], { metadata: { name: 'exited' }, labels });
      yield* c.exited(exited);
      const podSandboxId = sandbox.id;
      const list = function* (filter: object) {
        const { stats = [] } = yield* c.s.listContainerStats(background, { filter });
        return stats.map((s) => s.attributes?.id ?? '').sort();
      };
      c.same(yield* list({ podSandboxId }), [running, other, exited].sort(), 'of the sandbox');
      c.same(yield* list({ podSandboxId, labelSelector: labels }), [running, exited].sort(), 'by label');
      c.same(yield* list({ id: other }), [other], 'by id');
      c.same(yield* list({ id: other.slice(0, 13) }), [other], 'by part of an id');
      c.same(yield* list({ id: missing }), [], 'by an id that is not there');
      const { stats = [] } = yield* c.s.listContainerStats(background, { filter: { id: exited } });
      c.same(
        stats.map((s) => [s.attributes?.metadata?.name, s.cpu, s.memory]),
        [['exited', undefined, undefined]],
        'what is reported of one that has exited',
      );
    },
  },
  {
    name: 'of a sandbox, with its containers',
    *run(c) {
      const sandbox = yield* c.sandboxWithCgroup();
      const id = yield* c.start(sandbox, idle);
      const { stats } = yield* c.implemented(c.s.podSandboxStats(background, { podSandboxId: sandbox.id }));
      c.same([stats?.attributes?.id, stats?.attributes?.metadata], [sandbox.id, sandbox.config.metadata], 'attributes');
      c.insist(int64(stats?.linux?.memory?.workingSetBytes?.value) > 0n, 'memory');
      c.insist(int64(stats?.linux?.cpu?.timestamp) > 0n, 'the time');
      c.same(
        stats?.linux?.containers?.map((x) => x.attributes?.id),
        [id],
        'containers',
      );
      c.same(stats?.linux?.network?.defaultInterface?.name, 'eth0', 'the interface');
    },
  },
  {
    name: 'of a sandbox that has no cgroup, or has stopped',
    *run(c) {
      const { id } = yield* c.sandbox();
      yield* c.fails(
        c.s.podSandboxStats(background, { podSandboxId: id }),
        'Unknown',
        `failed to get cgroup metrics for sandbox ${id} because cgroupPath is empty`,
      );
      const stopped = yield* c.sandboxWithCgroup();
      yield* c.s.stopPodSandbox(background, { podSandboxId: stopped.id });
      yield* c.fails(
        c.s.podSandboxStats(background, { podSandboxId: stopped.id }),
        ['Unavailable', 'Unknown'],
        `failed to get pod sandbox stats since sandbox container "${stopped.id}" is not in ready state`,
      );
    },
  },
  {
    name: 'ListPodSandboxStats, filtered',
    *run(c) {
      const sandbox = yield* c.sandboxWithCgroup();
      const list = function* (filter: object) {
        const { stats = [] } = yield* c.implemented(c.s.listPodSandboxStats(background, { filter }));
        return stats.map((s) => s.attributes?.id);
      };
      c.same(yield* list({ id: sandbox.id }), [sandbox.id], 'by id');
      const uid = sandbox.config.metadata?.uid ?? '';
      c.same(yield* list({ labelSelector: { 'io.kubernetes.pod.uid': uid } }), [sandbox.id], 'by label');
      c.same(yield* list({ labelSelector: { 'io.kubernetes.pod.uid': 'nobody' } }), [], 'by a label that none has');
    },
  },
];
