import { containerState, int64, sandboxState } from '../cri/index.js';
import { background, current, Second, sleep } from '../kernel/index.js';
import type { ContractCase } from './contract.js';

const loop = ['sh', '-c', "trap 'exit 0' TERM; while true; do sleep 0.2; done"];
const stubborn = ['sh', '-c', "trap '' TERM; while true; do sleep 0.2; done"];
const script = (text: string): string[] => ['sh', '-c', text];
const missing = 'f'.repeat(64);

/** What every runtime must do, as the kubelet relies on it. */
export const contractCases: readonly ContractCase[] = [
  {
    name: 'Version and Status',
    *run(c) {
      const v = yield* c.s.version(background, { version: '0.1.0' });
      c.same(
        [v.version, v.runtimeApiVersion, Boolean(v.runtimeName), Boolean(v.runtimeVersion)],
        ['0.1.0', 'v1', true, true],
        'Version',
      );
      const { status } = yield* c.s.status(background, {});
      const ready = (type: string) => status?.conditions?.find((x) => x.type === type)?.status ?? false;
      c.same([ready('RuntimeReady'), ready('NetworkReady')], [true, true], 'conditions');
    },
  },
  {
    name: 'a sandbox runs, stops and goes',
    *run(c) {
      const { id, config } = yield* c.sandbox();
      c.insist(/^[0-9a-f]{64}$/.test(id), 'an id is 64 hex digits');
      const s = yield* c.sandboxStatus(id);
      c.same(
        [s.id, sandboxState(s), s.metadata, s.annotations],
        [id, 'SANDBOX_READY', config.metadata, config.annotations],
        'status',
      );
      c.same(Object.entries(s.labels ?? {}).sort(), Object.entries(config.labels ?? {}).sort(), 'labels');
      c.insist(/^\d+\.\d+\.\d+\.\d+$/.test(s.network?.ip ?? ''), 'a ready sandbox has an IP');
      c.insist(int64(s.createdAt) > 0n, 'createdAt is set');
      for (let i = 0; i < 2; i++) yield* c.s.stopPodSandbox(background, { podSandboxId: id });
      const stopped = yield* c.sandboxStatus(id);
      c.same([sandboxState(stopped), stopped.network ?? {}], ['SANDBOX_NOTREADY', {}], 'after StopPodSandbox');
      for (let i = 0; i < 2; i++) yield* c.s.removePodSandbox(background, { podSandboxId: id });
      yield* c.fails(c.s.podSandboxStatus(background, { podSandboxId: id }), 'NotFound');
    },
  },
  {
    name: 'a sandbox name is reserved until it is removed',
    *run(c) {
      const { id, config } = yield* c.sandbox();
      const text = yield* c.fails(c.s.runPodSandbox(background, { config }), 'Unknown', 'is reserved for');
      c.insist(text.includes(id), 'the error names who holds it');
      const second = yield* c.sandbox({ ...config, metadata: { ...config.metadata, attempt: 1 } });
      c.insist(second.id !== id, 'another attempt is another sandbox');
      yield* c.s.stopPodSandbox(background, { podSandboxId: id });
      yield* c.fails(c.s.runPodSandbox(background, { config }), 'Unknown', 'is reserved for');
      yield* c.s.removePodSandbox(background, { podSandboxId: id });
      yield* c.sandbox(config);
    },
  },
  {
    name: 'StopPodSandbox and RemovePodSandbox of what does not exist succeed',
    *run(c) {
      yield* c.idempotent(c.s.stopPodSandbox(background, { podSandboxId: missing }));
      yield* c.s.removePodSandbox(background, { podSandboxId: missing });
      yield* c.fails(c.s.podSandboxStatus(background, { podSandboxId: missing }), 'NotFound');
    },
  },
  {
    name: 'a container is created, runs and completes',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, script('sleep 0.3; exit 0'));
      const created = yield* c.status(id);
      c.same(
        [containerState(created), created.startedAt ?? '0', created.finishedAt ?? '0'],
        ['CONTAINER_CREATED', '0', '0'],
        'created',
      );
      yield* c.s.startContainer(background, { containerId: id });
      const running = yield* c.status(id);
      c.same(
        [containerState(running), running.exitCode ?? 0, running.reason ?? ''],
        ['CONTAINER_RUNNING', 0, ''],
        'running',
      );
      const done = yield* c.exited(id);
      c.same([done.exitCode ?? 0, done.reason, done.metadata?.name], [0, 'Completed', 'app'], 'exited');
      c.insist(
        int64(done.createdAt) < int64(done.startedAt) && int64(done.startedAt) < int64(done.finishedAt),
        'createdAt < startedAt < finishedAt',
      );
      c.insist(Boolean(done.imageRef) && Boolean(done.image?.image), 'the image is named');
      c.insist((done.logPath ?? '').endsWith('/app/0.log'), 'the log path is the absolute one');
    },
  },
  {
    name: 'a container that fails: exit code and reason Error',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const done = yield* c.exited(yield* c.start(sandbox, script('exit 3')));
      c.same([done.exitCode, done.reason], [3, 'Error'], 'exited');
    },
  },
  {
    name: 'a container starts once',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown', 'CONTAINER_RUNNING');
      yield* c.s.stopContainer(background, { containerId: id, timeout: '5' });
      yield* c.fails(c.s.startContainer(background, { containerId: id }), 'Unknown', 'CONTAINER_EXITED');
      yield* c.fails(c.s.startContainer(background, { containerId: missing }), 'NotFound');
    },
  },
  {
    name: 'a container name is reserved in its sandbox',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop);
      yield* c.fails(c.create(sandbox, loop), 'Unknown', 'is reserved for');
      yield* c.create(sandbox, loop, { metadata: { name: 'app', attempt: 1 } });
      yield* c.s.removeContainer(background, { containerId: id });
      yield* c.create(sandbox, loop);
    },
  },
  {
    name: 'CreateContainer wants a sandbox and an image that exist',
    *run(c) {
      const sandbox = yield* c.sandbox();
      yield* c.fails(c.create({ ...sandbox, id: missing }, loop), 'NotFound');
      yield* c.fails(c.create(sandbox, loop, { image: { image: 'localhost/contract-absent:1' } }), [
        'NotFound',
        'Unknown',
      ]);
    },
  },
  {
    name: 'a program that the image does not have: StartError, exit code 128',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, ['nosuch']);
      yield* c.fails(
        c.s.startContainer(background, { containerId: id }),
        'Unknown',
        'exec: "nosuch": executable file not found in $PATH',
      );
      const s = yield* c.status(id);
      c.same([containerState(s), s.exitCode, s.reason], ['CONTAINER_EXITED', 128, 'StartError'], 'status');
      c.insist((s.message ?? '').includes('executable file not found'), 'the status has the message');
    },
  },
  {
    name: 'StopContainer: the stop signal first',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      // It must have come to its trap.
      yield* sleep(Second / 2);
      const before = current().kernel.now();
      yield* c.s.stopContainer(background, { containerId: id, timeout: '10' });
      c.insist(current().kernel.now() - before < 3 * Second, 'it returns as soon as the container has ended');
      const s = yield* c.status(id);
      c.same(
        [containerState(s), s.exitCode ?? 0, s.reason],
        ['CONTAINER_EXITED', 0, 'Completed'],
        'status when it returns',
      );
      yield* c.s.stopContainer(background, { containerId: id, timeout: '10' });
    },
  },
  {
    name: 'StopContainer: SIGKILL after the grace period, exit code 137',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, stubborn);
      const before = current().kernel.now();
      yield* c.s.stopContainer(background, { containerId: id, timeout: '2' });
      const took = current().kernel.now() - before;
      c.insist(took >= 2 * Second && took < 4 * Second, `it waits for the grace period (took ${took / Second} s)`);
      const s = yield* c.status(id);
      c.same([s.exitCode, s.reason], [137, 'Error'], 'status');
    },
  },
  {
    name: 'StopContainer: PID 1 without a trap ignores the signal',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, ['sleep', '1000']);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
      c.same((yield* c.status(id)).exitCode, 137, 'exit code');
    },
  },
  {
    name: 'StopContainer: timeout 0 kills at once',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.stopContainer(background, { containerId: id });
      c.same((yield* c.status(id)).exitCode, 137, 'exit code');
    },
  },
  {
    name: 'StopContainer and RemoveContainer of what does not exist succeed',
    *run(c) {
      yield* c.idempotent(c.s.stopContainer(background, { containerId: missing, timeout: '1' }));
      yield* c.s.removeContainer(background, { containerId: missing });
      yield* c.fails(
        c.s.containerStatus(background, { containerId: missing }),
        'NotFound',
        `an error occurred when try to find container "${missing}": not found`,
      );
    },
  },
  {
    name: 'StopContainer of a created container does nothing',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.create(sandbox, loop);
      yield* c.s.stopContainer(background, { containerId: id, timeout: '1' });
      c.same(containerState(yield* c.status(id)), 'CONTAINER_CREATED', 'state');
    },
  },
  {
    name: 'RemoveContainer removes a running container by force',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.removeContainer(background, { containerId: id });
      yield* c.fails(c.s.containerStatus(background, { containerId: id }), 'NotFound');
    },
  },
  {
    name: 'StopPodSandbox kills what runs in it',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      const s = yield* c.status(id);
      c.same([containerState(s), s.exitCode, s.reason], ['CONTAINER_EXITED', 137, 'Error'], 'container');
    },
  },
  {
    name: 'RemovePodSandbox removes its containers',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
      yield* c.s.removePodSandbox(background, { podSandboxId: sandbox.id });
      yield* c.fails(c.s.containerStatus(background, { containerId: id }), 'NotFound');
    },
  },
  {
    name: 'lists and their filters',
    *run(c) {
      const a = yield* c.sandbox();
      const b = yield* c.sandbox();
      const running = yield* c.start(a, loop);
      const created = yield* c.create(b, loop);
      yield* c.s.stopPodSandbox(background, { podSandboxId: b.id });
      const sandboxes = function* (filter: NonNullable<Parameters<typeof c.s.listPodSandbox>[1]['filter']>) {
        const { items = [] } = yield* c.s.listPodSandbox(background, { filter });
        return items
          .map((i) => i.id)
          .filter((id) => id === a.id || id === b.id)
          .sort();
      };
      const containers = function* (filter: NonNullable<Parameters<typeof c.s.listContainers>[1]['filter']>) {
        const { containers: items = [] } = yield* c.s.listContainers(background, { filter });
        return items
          .map((i) => i.id)
          .filter((id) => id === running || id === created)
          .sort();
      };
      const both = [a.id, b.id].sort();
      c.same(yield* sandboxes({}), both, 'all sandboxes');
      c.same(yield* sandboxes({ state: {} }), [a.id], 'ready ones');
      c.same(yield* sandboxes({ state: { state: 'SANDBOX_NOTREADY' } }), [b.id], 'others');
      c.same(yield* sandboxes({ id: a.id }), [a.id], 'by id');
      const uid = a.config.metadata?.uid ?? '';
      c.same(yield* sandboxes({ labelSelector: { 'io.kubernetes.pod.uid': uid } }), [a.id], 'by label');
      c.same(
        yield* sandboxes({ labelSelector: { 'io.kubernetes.pod.uid': uid, contract: 'no' } }),
        [],
        'all labels must match',
      );
      c.same(yield* sandboxes({ id: missing }), [], 'an id that is not there');
      c.same(yield* containers({}), [running, created].sort(), 'all containers');
      c.same(yield* containers({ state: { state: 'CONTAINER_RUNNING' } }), [running], 'running');
      c.same(yield* containers({ state: {} }), [created], 'created');
      c.same(yield* containers({ podSandboxId: a.id }), [running], 'by sandbox');
      c.same(yield* containers({ id: created }), [created], 'by id');
    },
  },
  {
    name: 'ExecSync: output and exit code',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      c.same(
        yield* c.exec(id, 'sh', '-c', 'echo out; echo err >&2; exit 4'),
        { out: 'out\n', err: 'err\n', code: 4 },
        'answer',
      );
      yield* c.exec(id, 'touch', '/tmp/here');
      c.same((yield* c.exec(id, 'cat', '/tmp/here')).code, 0, 'files stay');
      c.same(
        yield* c.exec(id, 'cat', '/tmp/nope'),
        { out: '', err: "cat: can't open '/tmp/nope': No such file or directory\n", code: 1 },
        'a missing file',
      );
    },
  },
  {
    name: 'ExecSync: time-out, missing program, dead container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      const before = current().kernel.now();
      yield* c.fails(
        c.s.execSync(background, { containerId: id, cmd: ['sleep', '30'], timeout: '1' }),
        'DeadlineExceeded',
        'timeout 1s exceeded',
      );
      c.insist(current().kernel.now() - before < 5 * Second, 'it is killed at the time-out');
      yield* c.fails(
        c.s.execSync(background, { containerId: id, cmd: ['nosuch'] }),
        'Unknown',
        'executable file not found in $PATH',
      );
      yield* c.s.stopContainer(background, { containerId: id });
      yield* c.fails(c.s.execSync(background, { containerId: id, cmd: ['true'] }), 'Unknown', 'CONTAINER_EXITED');
      yield* c.fails(c.s.execSync(background, { containerId: missing, cmd: ['true'] }), 'NotFound');
    },
  },
  {
    name: 'a container has its environment, working folder and arguments',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const more = { envs: [{ key: 'GREETING', value: 'aGVsbG8=' }], workingDir: '/tmp', args: ['first', 'second'] };
      const id = yield* c.start(sandbox, ['sh', '-c', 'echo "$GREETING $(pwd) $0 $1" > /tmp/seen; sleep 1000'], more);
      const seen = yield* c.exec(
        id,
        'sh',
        '-c',
        'while ! [ -s /tmp/seen ]; do sleep 0.1; done; cat /tmp/seen; hostname; echo $GREETING',
      );
      c.same(seen.out, `hello /tmp first second\n${sandbox.config.hostname}\nhello\n`, 'what it saw');
    },
  },
  {
    name: 'images: by name, by id, and not at all',
    *run(c) {
      const { image } = yield* c.s.imageStatus(background, { image: { image: c.subject.images.busybox } });
      c.insist(Boolean(image?.id) && int64(image?.size) > 0n, 'the image has an id and a size');
      c.insist(image?.repoTags?.includes(c.subject.images.busybox) ?? false, 'and its tag');
      const byId = yield* c.s.imageStatus(background, { image: { image: image?.id ?? '' } });
      c.same(byId.image?.id, image?.id, 'by id');
      c.same(
        (yield* c.s.imageStatus(background, { image: { image: 'localhost/contract-absent:1' } })).image ?? null,
        null,
        'absent',
      );
      const { images = [] } = yield* c.s.listImages(background, {});
      c.insist(
        images.some((i) => i.id === image?.id),
        'it is listed',
      );
      yield* c.s.removeImage(background, { image: { image: 'localhost/contract-absent:1' } });
      yield* c.fails(
        c.s.pullImage(background, { image: { image: 'localhost/contract-absent:1' } }),
        ['Unknown', 'NotFound', 'Unavailable'],
        'localhost/contract-absent:1',
      );
      const { imageFilesystems = [] } = yield* c.s.imageFsInfo(background, {});
      c.insist(int64(imageFilesystems[0]?.usedBytes?.value) > 0n, 'images take room');
    },
  },
  {
    name: 'UpdateContainerResources shows in the status',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.updateContainerResources(background, { containerId: id, linux: { cpuShares: '512' } });
      const { resources } = yield* c.status(id);
      c.same([resources?.linux?.cpuShares, resources?.linux?.cpuPeriod], ['512', '100000'], 'resources');
    },
  },
  {
    name: 'ReopenContainerLog wants a running container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      yield* c.s.reopenContainerLog(background, { containerId: id });
      yield* c.s.stopContainer(background, { containerId: id });
      yield* c.fails(c.s.reopenContainerLog(background, { containerId: id }), 'Unknown', 'container is not running');
    },
  },
  {
    name: 'statistics of a running container',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const id = yield* c.start(sandbox, loop);
      const { stats } = yield* c.s.containerStats(background, { containerId: id });
      c.same(stats?.attributes?.id, id, 'id');
      const { stats: all = [] } = yield* c.s.listContainerStats(background, { filter: { podSandboxId: sandbox.id } });
      c.same(
        all.map((s) => s.attributes?.id),
        [id],
        'list',
      );
    },
  },
];
