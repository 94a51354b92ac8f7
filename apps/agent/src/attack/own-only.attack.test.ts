import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CRIError, type CRIServices, GrpcCode, invoke, type RpcMethod, rpcMethods } from '@syncloop/core/cri';
import { background, type Go, makeChan, receive, withCancel } from '@syncloop/core/kernel';
import { newMockRuntime } from '@syncloop/core/mock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRuntime } from '../cri/client.js';
import { serveRuntime } from '../cri/server.js';
import { nodeOS } from '../host/os.js';
import { ownLogs } from '../security/own-logs.js';
import {
  adoptAll,
  listMethods,
  mutatingMethods,
  ownPodsOnly,
  passthroughMethods,
  specialMethods,
} from '../security/own-only.js';
import { Ownership } from '../security/ownership.js';
import { errorOf, fakeRuntime, realKernel, run, tempFolder } from '../testing/harness.js';

const podConfig = (uid: string, name = uid) => ({
  metadata: { name, namespace: 'default', uid, attempt: 0 },
  logDirectory: `/var/log/pods/default_${name}_${uid}`,
  labels: { 'io.kubernetes.pod.uid': uid, 'io.kubernetes.pod.name': name },
  linux: { cgroupParent: '/pods' },
});
const containerConfig = (uid: string) => ({
  metadata: { name: 'app', attempt: 0 },
  image: { image: 'localhost/busybox:dev' },
  command: ['sleep', '1000'],
  labels: { 'io.kubernetes.pod.uid': uid, 'io.kubernetes.container.name': 'app' },
  logPath: 'app/0.log',
});

const latencies = { read: 0, runPodSandbox: 0, createContainer: 0, startContainer: 0, removeImage: 0 };

/** The mock over gRPC, as everybody sees it and as a kubelet with this root directory does. */
async function shared(options: { removeAnyImage?: boolean } = {}) {
  const kernel = realKernel();
  const mock = newMockRuntime(kernel, { latencies });
  const folder = await tempFolder();
  const endpoint = `unix://${folder}/cri.sock`;
  const server = await serveRuntime(kernel, mock.runtime, mock.image, endpoint);
  onTestFinished(() => server.close());
  const connection = await connectRuntime(endpoint);
  onTestFinished(() => connection.close());
  const all: CRIServices = { ...connection.runtime, ...connection.image };
  const rootDir = join(folder, 'root');
  await mkdir(join(rootDir, 'pods'), { recursive: true });
  const logs = join(folder, 'logs');
  const ownership = Ownership.open(rootDir, logs);
  const own = ownPodsOnly(all, ownership, options);
  const go = <T>(body: () => Go<T>) => run(kernel, body);
  /** A pod with a running container. */
  const pod = (cri: CRIServices, uid: string) =>
    go(function* () {
      const config = podConfig(uid);
      const { podSandboxId: sandbox = '' } = yield* cri.runPodSandbox(background, { config });
      const { containerId: container = '' } = yield* cri.createContainer(background, {
        podSandboxId: sandbox,
        config: containerConfig(uid),
        sandboxConfig: config,
      });
      yield* cri.startContainer(background, { containerId: container });
      return { sandbox, container };
    });
  const ids = (cri: CRIServices) =>
    go(function* () {
      const { items = [] } = yield* cri.listPodSandbox(background, {});
      const { containers = [] } = yield* cri.listContainers(background, {});
      return [...items.map((s) => s.id), ...containers.map((c) => c.id)];
    });
  return { kernel, folder, rootDir, logs, ownership, all, own, go, pod, ids };
}

describe('pods of others in the same runtime', () => {
  it('are in no list and in no answer about all', async () => {
    const t = await shared();
    const theirs = await t.pod(t.all, 'theirs');
    const ours = await t.pod(t.own, 'ours');
    expect(await t.ids(t.all)).toHaveLength(4);
    expect(await t.ids(t.own)).toEqual([ours.sandbox, ours.container]);
    const stats = await t.go(function* () {
      const { stats: pods = [] } = yield* t.own.listPodSandboxStats(background, {});
      const { stats: containers = [] } = yield* t.own.listContainerStats(background, {});
      return [...pods, ...containers].map((s) => s.attributes?.id);
    });
    expect(stats).toEqual([ours.sandbox, ours.container]);
    expect(stats).not.toContain(theirs.sandbox);
  });

  const requests = (theirs: { sandbox: string; container: string }): Partial<Record<RpcMethod, object>> => ({
    createContainer: {
      podSandboxId: theirs.sandbox,
      config: containerConfig('theirs'),
      sandboxConfig: podConfig('theirs'),
    },
    ...Object.fromEntries(
      mutatingMethods
        .filter((m) => m !== 'createContainer')
        .map((m) => [m, { podSandboxId: theirs.sandbox, containerId: theirs.container, cmd: ['true'], timeout: '0' }]),
    ),
  });

  it('cannot be reached by any call that changes something', async () => {
    const t = await shared();
    const theirs = await t.pod(t.all, 'theirs');
    const before = await t.ids(t.all);
    for (const method of mutatingMethods) {
      const request = requests(theirs)[method] as object;
      const error = await errorOf(t.go(() => invoke(t.own, method, background, request)));
      expect(error, method).toBeInstanceOf(CRIError);
      expect(error, method).toMatchObject({
        code: GrpcCode.PermissionDenied,
        message: expect.stringContaining('was not created by this kubelet'),
      });
    }
    expect(mutatingMethods).toHaveLength(15);
    expect(await t.ids(t.all)).toEqual(before);
    const { containers = [] } = await t.go(() => t.all.listContainers(background, {}));
    expect(containers).toMatchObject([{ state: 'CONTAINER_RUNNING' }]);
  });

  it('each call has its rule', () => {
    const ruled = [...passthroughMethods, ...specialMethods, ...listMethods, ...mutatingMethods];
    expect(ruled.toSorted()).toEqual([...rpcMethods].toSorted());
  });

  it('do not come by streams or events either', async () => {
    const t = await shared();
    const seen: (string | undefined)[] = [];
    const [ctx, cancel] = withCancel(t.kernel, background);
    const over = t.go(function* () {
      const events = yield* t.own.getContainerEvents(ctx, {});
      for (;;) {
        const [event, ok] = yield* receive(events);
        if (!ok) return;
        if (!(event instanceof CRIError)) seen.push(event.podSandboxStatus?.metadata?.uid);
      }
    });
    await t.pod(t.all, 'theirs');
    await t.pod(t.own, 'ours');
    t.kernel.post(() => cancel());
    await over;
    expect(new Set(seen)).toEqual(new Set(['ours']));
  });

  it('are in no chunk of a list either', async () => {
    const kernel = realKernel();
    const folder = await tempFolder();
    const ownership = Ownership.open(folder, folder);
    ownership.addSandbox('s1', 'ours');
    const all = fakeRuntime({
      *streamContainers() {
        const out = makeChan<{ containers: { id: string; podSandboxId: string }[] } | CRIError>(kernel, 'chunks', 3);
        out.trySend({
          containers: [
            { id: 'c1', podSandboxId: 's1' },
            { id: 'c2', podSandboxId: 's2' },
          ],
        });
        out.trySend({ containers: [{ id: 'c3', podSandboxId: 's2' }] });
        out.trySend(new CRIError(GrpcCode.Internal, 'broken'));
        out.close();
        return out;
      },
    });
    const chunks = await run(kernel, function* () {
      const stream = yield* ownPodsOnly(all, ownership).streamContainers(background, {});
      const found: unknown[] = [];
      for (;;) {
        const [chunk, ok] = yield* receive(stream);
        if (!ok) return found;
        found.push(chunk);
      }
    });
    expect(chunks).toEqual([
      { containers: [{ id: 'c1', podSandboxId: 's1' }] },
      { containers: [] },
      expect.objectContaining({ message: expect.stringContaining('broken') }),
    ]);
  });

  it('stay those of others when their uid is the same as a path', async () => {
    const t = await shared();
    await writeFile(join(t.rootDir, 'secret'), '');
    for (const uid of ['..', '.', '../secret', '', 'a/../../secret', 'x\0y'])
      expect(t.ownership.hasSandbox('id', uid)).toBe(false);
  });
});

describe('pods of our own', () => {
  it('are known again after a restart, also when their folders are gone', async () => {
    const t = await shared();
    await t.pod(t.all, 'theirs');
    const ours = await t.pod(t.own, 'ours');
    const again = ownPodsOnly(t.all, Ownership.open(t.rootDir, t.logs));
    expect(await t.ids(again)).toEqual([ours.sandbox, ours.container]);
    await t.go(function* () {
      yield* again.stopContainer(background, { containerId: ours.container, timeout: '0' });
      yield* again.removeContainer(background, { containerId: ours.container });
      yield* again.stopPodSandbox(background, { podSandboxId: ours.sandbox });
      yield* again.removePodSandbox(background, { podSandboxId: ours.sandbox });
    });
    expect(await t.ids(t.all)).toHaveLength(2);
    expect(readFileSync(join(t.rootDir, 'syncloop-ownership'), 'utf8')).toContain(`gone ${ours.sandbox}\n`);
    expect(Ownership.open(t.rootDir, t.logs).hasPod('ours')).toBe(false);
    expect(statSync(join(t.rootDir, 'syncloop-ownership')).mode & 0o777).toBe(0o600);
  });

  it('are known when the kubelet was killed before it knew their ids', async () => {
    const t = await shared();
    const crashed = await t.pod(t.all, 'crashed');
    expect(await t.ids(t.own)).toEqual([]);
    // Made before its sandbox is.
    await mkdir(join(t.rootDir, 'pods', 'crashed'));
    expect(await t.ids(t.own)).toEqual([crashed.sandbox, crashed.container]);
    await t.go(() => t.own.stopPodSandbox(background, { podSandboxId: crashed.sandbox }));
  });

  it('are all that there are, with --adopt-pods', async () => {
    const t = await shared();
    const theirs = await t.pod(t.all, 'theirs');
    await t.go(() => adoptAll(t.all, t.ownership));
    expect(await t.ids(t.own)).toEqual([theirs.sandbox, theirs.container]);
    await t.go(() => t.own.stopContainer(background, { containerId: theirs.container, timeout: '0' }));
  });

  it('leave the logs of others alone', async () => {
    const t = await shared();
    await t.pod(t.own, 'ours');
    for (const name of ['default_ours_ours', 'default_theirs_theirs', 'odd'])
      await mkdir(join(t.logs, name), { recursive: true });
    await symlink('/etc', join(t.logs, 'default_link_link'));
    const os = ownLogs(nodeOS(), t.ownership, t.logs);
    const names = (path: string) => t.go(() => os.readDir(path)).then((entries) => entries.map((e) => e.name));
    expect(await names(t.logs)).toEqual(['default_ours_ours']);
    expect(await names(`${t.logs}/`)).toEqual(['default_ours_ours']);
    expect(await names(t.folder)).toContain('logs');
  });

  it('are not guessed from a file of another kind', async () => {
    const t = await shared();
    await writeFile(join(t.rootDir, 'syncloop-ownership'), 'sandbox x y\n');
    expect(() => Ownership.open(t.rootDir, t.logs)).toThrow(/is not of this version of syncloop: move it away/);
    expect(existsSync(join(t.rootDir, 'syncloop-ownership.new'))).toBe(false);
  });
});

describe('images of others', () => {
  const image = { image: 'localhost/busybox:dev' };
  const pulled = { image: 'registry.k8s.io/pause:3.9' };
  const pinned = (t: Awaited<ReturnType<typeof shared>>, name: string) =>
    t
      .go(() => t.own.listImages(background, {}))
      .then(({ images = [] }) => images.filter((i) => i.repoTags?.includes(name)).map((i) => i.pinned ?? false));

  it('look pinned to garbage collection, are not removed, and do not become ours by another pull', async () => {
    const t = await shared();
    await t.go(() => t.all.pullImage(background, { image: pulled }));
    await t.go(function* () {
      // A kubelet asks the same before each pull.
      yield* t.own.imageStatus(background, { image: pulled });
      yield* t.own.pullImage(background, { image: pulled });
    });
    for (const { image: name } of [image, pulled]) {
      expect(await pinned(t, name)).toEqual([true]);
      const error = await errorOf(t.go(() => t.own.removeImage(background, { image: { image: name } })));
      expect(error.message).toMatch(`${name} was not pulled by this kubelet; give --remove-any-image`);
    }
  });

  it('are those that others use, too', async () => {
    const t = await shared({ removeAnyImage: true });
    expect(await pinned(t, image.image)).toEqual([false]);
    await t.pod(t.all, 'theirs');
    const error = await errorOf(t.go(() => t.own.removeImage(background, { image })));
    expect(error.message).toMatch(/in use by container \S+, which is not this kubelet's/);
  });

  it('are removed where that is allowed, and our own always', async () => {
    const t = await shared({ removeAnyImage: true });
    await t.go(() => t.own.removeImage(background, { image }));
    expect(await pinned(t, image.image)).toEqual([]);
    const careful = ownPodsOnly(t.all, t.ownership);
    await t.go(() => careful.pullImage(background, { image: pulled }));
    await t.go(() => careful.removeImage(background, { image: pulled }));
    expect(await pinned(t, pulled.image)).toEqual([]);
  });
});

it('asks the runtime nothing more than a kubelet does in the ordinary course', async () => {
  const kernel = realKernel();
  const folder = await tempFolder();
  const asked: string[] = [];
  const answers: Partial<CRIServices> = {
    *listPodSandbox() {
      asked.push('list');
      return { items: [] };
    },
    *runPodSandbox() {
      asked.push('run');
      return { podSandboxId: 's1' };
    },
    *createContainer() {
      asked.push('create');
      return { containerId: 'c1' };
    },
    *startContainer() {
      asked.push('start');
      return {};
    },
    *stopPodSandbox() {
      asked.push('stop');
      return {};
    },
  };
  const own = ownPodsOnly(fakeRuntime(answers), Ownership.open(folder, folder));
  await run(kernel, function* () {
    yield* own.listPodSandbox(background, {});
    yield* own.runPodSandbox(background, { config: podConfig('u') });
    yield* own.createContainer(background, { podSandboxId: 's1', config: containerConfig('u') });
    yield* own.startContainer(background, { containerId: 'c1' });
    yield* own.stopPodSandbox(background, { podSandboxId: 's1' });
  });
  expect(asked).toEqual(['list', 'run', 'create', 'start', 'stop']);
});
