import { type ContainerFilter, containerState, type PodSandboxFilter, sandboxState } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import type { Contract, ContractCase } from './contract.js';
import { loop, missing } from './scripts.js';

/** Two sandboxes, one stopped, with a container in each state; and lists of just these. */
function* scene(c: Contract) {
  const [a, b] = [yield* c.sandbox(), yield* c.sandbox()];
  const running = yield* c.start(a, loop, { metadata: { name: 'running' }, labels: { role: 'main', tier: 'front' } });
  const created = yield* c.create(a, loop, { metadata: { name: 'created' }, labels: { role: 'main', tier: 'back' } });
  const exited = yield* c.start(b, loop, { metadata: { name: 'exited' }, labels: { role: 'other', tier: 'back' } });
  yield* c.s.stopPodSandbox(background, { podSandboxId: b.id });
  const names = new Map([
    [a.id, 'a'],
    [b.id, 'b'],
    [running, 'running'],
    [created, 'created'],
    [exited, 'exited'],
  ]);
  const known = (items: readonly { id?: string }[]) =>
    items
      .map((i) => names.get(i.id ?? ''))
      .filter((n) => n !== undefined)
      .sort();
  const sandboxes = function* (filter?: PodSandboxFilter) {
    return known((yield* c.s.listPodSandbox(background, filter ? { filter } : {})).items ?? []);
  };
  const containers = function* (filter?: ContainerFilter) {
    return known((yield* c.s.listContainers(background, filter ? { filter } : {})).containers ?? []);
  };
  return { a, b, running, created, exited, sandboxes, containers };
}

/** ListPodSandbox and ListContainers with their filters. */
export const listCases: readonly ContractCase[] = [
  {
    name: 'sandboxes by state, id and labels',
    *run(c) {
      const { a, b, sandboxes } = yield* scene(c);
      const uid = 'io.kubernetes.pod.uid';
      const table: [PodSandboxFilter | undefined, string[]][] = [
        [undefined, ['a', 'b']],
        [{}, ['a', 'b']],
        [{ state: {} }, ['a']],
        [{ state: { state: 'SANDBOX_NOTREADY' } }, ['b']],
        [{ id: a.id }, ['a']],
        [{ id: b.id.slice(0, 13) }, ['b']],
        [{ id: missing }, []],
        [{ id: a.id, state: { state: 'SANDBOX_NOTREADY' } }, []],
        [{ labelSelector: {} }, ['a', 'b']],
        [{ labelSelector: { contract: 'yes' } }, ['a', 'b']],
        [{ labelSelector: { contract: 'no' } }, []],
        [{ labelSelector: { [uid]: a.config.metadata?.uid ?? '' } }, ['a']],
        [{ labelSelector: { [uid]: a.config.metadata?.uid ?? '', contract: 'yes' } }, ['a']],
        [{ labelSelector: { [uid]: a.config.metadata?.uid ?? '', contract: 'no' } }, []],
        [{ labelSelector: { [uid]: a.config.metadata?.uid ?? '', nosuch: '' } }, []],
        [{ state: {}, labelSelector: { [uid]: b.config.metadata?.uid ?? '' } }, []],
      ];
      for (const [filter, want] of table) c.same(yield* sandboxes(filter), want, JSON.stringify(filter ?? 'no filter'));
    },
  },
  {
    name: 'containers by state, id, sandbox and labels',
    *run(c) {
      const { a, b, created, exited, containers } = yield* scene(c);
      const table: [ContainerFilter | undefined, string[]][] = [
        [undefined, ['created', 'exited', 'running']],
        [{}, ['created', 'exited', 'running']],
        [{ state: { state: 'CONTAINER_RUNNING' } }, ['running']],
        [{ state: { state: 'CONTAINER_EXITED' } }, ['exited']],
        [{ state: {} }, ['created']],
        [{ podSandboxId: a.id }, ['created', 'running']],
        [{ podSandboxId: b.id.slice(0, 13) }, ['exited']],
        [{ podSandboxId: missing }, []],
        [{ id: created }, ['created']],
        [{ id: exited.slice(0, 13) }, ['exited']],
        [{ id: missing }, []],
        [{ id: created, podSandboxId: b.id }, []],
        [{ id: created, state: { state: 'CONTAINER_RUNNING' } }, []],
        [{ labelSelector: { role: 'main' } }, ['created', 'running']],
        [{ labelSelector: { role: 'main', tier: 'back' } }, ['created']],
        [{ labelSelector: { tier: 'back' }, podSandboxId: b.id }, ['exited']],
        [{ labelSelector: { tier: 'back' }, state: { state: 'CONTAINER_RUNNING' } }, []],
        [{ labelSelector: { nosuch: '' } }, []],
      ];
      for (const [filter, want] of table)
        c.same(yield* containers(filter), want, JSON.stringify(filter ?? 'no filter'));
    },
  },
  {
    name: 'states in a list follow those of the status',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop);
      const listed = function* () {
        const { containers = [] } = yield* c.s.listContainers(background, { filter: { podSandboxId: sandbox.id } });
        return containers.map(containerState);
      };
      c.same(yield* listed(), ['CONTAINER_CREATED'], 'created');
      yield* c.s.startContainer(background, { containerId: id });
      c.same(yield* listed(), ['CONTAINER_RUNNING'], 'running');
      yield* c.s.stopContainer(background, { containerId: id });
      c.same(yield* listed(), ['CONTAINER_EXITED'], 'exited');
      yield* c.s.removeContainer(background, { containerId: id });
      c.same(yield* listed(), [], 'removed');
    },
  },
  {
    name: 'a sandbox that is gone is in no list',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const filter = { labelSelector: { 'io.kubernetes.pod.uid': sandbox.config.metadata?.uid ?? '' } };
      const listed = function* () {
        return ((yield* c.s.listPodSandbox(background, { filter })).items ?? []).map(sandboxState);
      };
      c.same(yield* listed(), ['SANDBOX_READY'], 'ready');
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      c.same(yield* listed(), ['SANDBOX_NOTREADY'], 'stopped');
      yield* c.s.removePodSandbox(background, { podSandboxId: sandbox.id });
      c.same(yield* listed(), [], 'removed');
    },
  },
  {
    name: 'attempts are distinguished',
    *run(c) {
      const sandbox = yield* c.sandbox();
      for (let attempt = 0; attempt < 3; attempt++)
        yield* c.exited(
          yield* c.start(sandbox, ['true'], { metadata: { name: 'app', attempt }, logPath: `app/${attempt}.log` }),
        );
      const { containers = [] } = yield* c.s.listContainers(background, { filter: { podSandboxId: sandbox.id } });
      c.same(containers.map((x) => x.metadata?.attempt ?? 0).sort(), [0, 1, 2], 'attempts');
    },
  },
];
