/** Our kubelet on a real runtime, in a folder of its own, watched as the golden recordings' kubelet was. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { GoldenCluster, type GoldenClusterRecord } from '@syncloop/core/conformance';
import type { PodSnapshot, StatusSnapshot } from '@syncloop/core/conformance/compare';
import {
  containerState,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  sandboxState,
} from '@syncloop/core/cri';
import { background, type Go, Kernel, Second } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { formatKlog } from '@syncloop/core/trace';
import { defaultAgentConfig } from '../config/agent-config.js';
import { connectRuntime, type RuntimeConnection } from '../cri/client.js';
import { type Listening, listenOn, makeServer } from '../kubelet-server/http.js';
import { serverSource } from '../kubelet-server/kubelet-server.js';
import { kubeletHandler } from '../kubelet-server/routes.js';
import { type RunningNode, startKubelet } from '../node/kubelet-runner.js';
import type { Containerd } from './containerd.js';
import { CriLog } from './cri-log.js';

const nodeName = 'node1';
const pollMillis = 100;
/** The address of the recorder's machine. */
const recorderIP = '10.99.0.1';
const nextImage = 'localhost/busybox:next';
const run = promisify(execFile);

/** A node for one recording. */
export class NodeUnderTest {
  readonly status: StatusSnapshot[] = [];
  readonly klog: string[] = [];
  readonly cri: CriLog;
  private readonly started = performance.now();
  private node: RunningNode | null = null;
  private server: Listening | null = null;
  private lastStatus = '';
  private polling = true;
  private readonly kernel = new Kernel({ clock: new RealClock() });
  private readonly driver = new RealDriver(this.kernel);
  private behind: RuntimeConnection | null = null;
  private cluster: GoldenCluster | null = null;

  private constructor(
    readonly work: string,
    readonly endpoint: string,
    /** Null for a runtime that somebody else started. */
    private readonly managed: Containerd | null,
  ) {
    this.cri = new CriLog(() => this.now());
  }

  /** `withApi`: the node belongs to a cluster with an API server of our own. */
  static async create(endpoint: string, managed: Containerd | null, withApi = false): Promise<NodeUnderTest> {
    const behind = await connectRuntime(endpoint);
    const work = await mkdtemp(join(tmpdir(), 'syncloop-node-'));
    for (const folder of ['manifests', 'k-root', 'podlogs', 'tmp']) await mkdir(join(work, folder));
    const node = new NodeUnderTest(work, endpoint, managed);
    node.driver.start();
    node.behind = behind;
    if (withApi) {
      node.cluster = new GoldenCluster(node.kernel, nodeName, () => Math.round(node.now()));
      // The node of those recordings had the image under a second name.
      await managed?.importBusybox([{ name: nextImage, cmd: ['sh'] }], 'next.tar');
    }
    void node.poll();
    return node;
  }

  /** ms since the start. */
  now(): number {
    return performance.now() - this.started;
  }

  get runtimeName(): string {
    return this.node?.runtimeName ?? '';
  }

  async startKubelet(): Promise<void> {
    const config = defaultAgentConfig();
    config.containerRuntimeEndpoint = this.endpoint;
    Object.assign(config.kubelet, {
      nodeName,
      hostnameOverride: nodeName,
      rootDirectory: join(this.work, 'k-root'),
      podLogsDir: join(this.work, 'podlogs'),
      staticPodPath: join(this.work, 'manifests'),
      fileCheckFrequency: Second,
      cgroupsPerQOS: false,
      failCgroupV1: false,
      evictionHardMemoryBytes: 2 ** 20,
      localStorageCapacityIsolation: false,
      ...(this.cluster && { clusterDNS: ['10.0.0.10'], clusterDomain: 'cluster.local' }),
    });
    let server = async () => {};
    this.node = await startKubelet({
      config,
      tap: this.cri.tap(),
      transport: ({ kernel }) => this.cluster?.connect(kernel) ?? null,
      ...(this.cluster && { nodeIP: recorderIP }),
      prepare: (node) => {
        const options = { epochMillis: node.kernel.clock.epochMillis, pid: process.pid };
        node.addSink((record) => {
          if (record.kind === 'log' && (record.severity === 'E' || record.v <= 4))
            this.klog.push(formatKlog(record, options));
        });
        const source = serverSource(node, config);
        server = async () => {
          this.server = await listenOn(makeServer(kubeletHandler(source, null)), '127.0.0.1', 0, 'free a port');
        };
      },
    });
    void this.node.ended.then((err) => this.klog.push(`kubelet ended: ${err.stack ?? err.message}`));
    await server();
  }

  /** Ends the kubelet as SIGKILL would. */
  async stopKubelet(): Promise<void> {
    await this.node?.stop();
    this.node = null;
    await this.server?.close();
    this.server = null;
  }

  /** Returns the requests that the cluster's API server saw, and its objects at the end. */
  clusterRecord(): GoldenClusterRecord | null {
    return this.cluster?.result() ?? null;
  }

  /** Changes the cluster, between the kubelet's steps: its watches hear of it at once. */
  inCluster<T>(act: (cluster: GoldenCluster) => T): Promise<T> {
    const { cluster } = this;
    if (!cluster) throw new Error('this node has no API server');
    return new Promise((resolve, reject) => {
      (this.node?.kernel ?? this.kernel).post(() => {
        try {
          resolve(act(cluster));
        } catch (err) {
          reject(err);
        }
      });
    });
  }

  untilInCluster(seconds: number, holds: (cluster: GoldenCluster) => boolean): Promise<boolean> {
    return this.until(seconds, () => this.inCluster(holds));
  }

  async stopRuntime(): Promise<void> {
    await this.managedRuntime().stop('SIGTERM');
  }

  async startRuntime(): Promise<void> {
    await this.managedRuntime().start();
  }

  private managedRuntime(): Containerd {
    if (this.managed) return this.managed;
    throw new Error('this runtime was started by somebody else: leave --runtime-endpoint out');
  }

  /** Writes a file into the manifest folder, all at once. */
  async write(file: string, text: string): Promise<void> {
    const temporary = join(this.work, 'tmp', file);
    await writeFile(temporary, text);
    await rename(temporary, this.manifest(file));
  }

  async remove(file: string): Promise<void> {
    await rm(this.manifest(file));
  }

  private manifest(file: string): string {
    if (!/^[^/]+$/.test(file) || file === '.' || file === '..')
      throw new Error(`${JSON.stringify(file)} is not a file name`);
    return join(this.work, 'manifests', file);
  }

  async shell(script: string): Promise<void> {
    const env = {
      ...process.env,
      WORK: this.work,
      CONTAINERD_ADDRESS: this.endpoint.replace('unix://', ''),
      CONTAINERD_NAMESPACE: 'k8s.io',
      CONTAINER_RUNTIME_ENDPOINT: this.endpoint,
    };
    await run('/bin/sh', ['-c', script], { cwd: this.work, env });
  }

  /** The pod as /pods showed it last. */
  pod(name: string): PodSnapshot | undefined {
    const pods = this.status.at(-1)?.pods ?? [];
    const found = pods.find((pod) => pod.name === `${name}-${nodeName}`);
    return found ?? (this.cluster ? pods.find((pod) => pod.name === name) : undefined);
  }

  /** Asks until it holds; false when `seconds` have passed. */
  async until(seconds: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
    for (const end = this.now() + seconds * 1000; this.now() < end; await delay(pollMillis))
      if (await holds()) return true;
    return false;
  }

  async hasReadySandbox(name: string): Promise<boolean> {
    return (await this.sandboxes(name)).some((s) => sandboxState(s) === 'SANDBOX_READY');
  }

  /** SIGKILL to a container's first process. */
  async killContainer(name: string, container: string): Promise<void> {
    process.kill(await this.pidOf('container', await this.containerId(name, container)), 'SIGKILL');
  }

  /** SIGKILL to a sandbox's own process. */
  async killSandbox(name: string): Promise<void> {
    const sandbox = (await this.sandboxes(name)).find((s) => sandboxState(s) === 'SANDBOX_READY');
    if (!sandbox?.id) throw new Error(`pod ${name} has no ready sandbox`);
    process.kill(await this.pidOf('sandbox', sandbox.id), 'SIGKILL');
  }

  async exec(name: string, container: string, cmd: string[]): Promise<void> {
    const containerId = await this.containerId(name, container);
    await this.ask((cri) => cri.runtime.execSync(background, { containerId, cmd, timeout: '30' }));
  }

  /** Ends everything that this node made: kubelet, pods, files. */
  async close(): Promise<void> {
    this.polling = false;
    await this.stopKubelet();
    // A step may have left the runtime stopped.
    if (this.managed && !this.managed.running) await this.managed.start();
    if (this.cluster) await this.managed?.ctr('images', 'rm', nextImage).catch(() => {});
    await this.removePods().catch(() => {});
    this.behind?.close();
    this.driver.stop();
    await removeLogLinks(this.work);
    await rm(this.work, { recursive: true, force: true });
  }

  private async inClusterIfAny(act: (cluster: GoldenCluster) => void): Promise<void> {
    if (this.cluster) await this.inCluster(act);
  }

  private async removePods(): Promise<void> {
    const { items = [] } = await this.ask((cri) => cri.runtime.listPodSandbox(background, {}));
    for (const { id = '', metadata } of items) {
      // Other pods there are not this node's; with an API server any name may be.
      if (!this.cluster && !metadata?.name?.endsWith(`-${nodeName}`)) continue;
      await this.ask((cri) => cri.runtime.stopPodSandbox(background, { podSandboxId: id }));
      await this.ask((cri) => cri.runtime.removePodSandbox(background, { podSandboxId: id }));
    }
  }

  /** A call to the runtime that the kubelet knows nothing of. */
  private ask<T>(body: (cri: RuntimeConnection) => Go<T>): Promise<T> {
    const { behind, kernel } = this;
    if (!behind) throw new Error('not connected to the runtime');
    return new Promise((resolve, reject) => {
      kernel.post(() =>
        kernel.go('behind the kubelet', function* () {
          try {
            resolve(yield* body(behind));
          } catch (err) {
            reject(err);
          }
        }),
      );
    });
  }

  private async sandboxes(name: string) {
    const called = async (pod: string) => {
      const request: ListPodSandboxRequest = { filter: { labelSelector: { 'io.kubernetes.pod.name': pod } } };
      return (await this.ask((cri) => cri.runtime.listPodSandbox(background, request))).items ?? [];
    };
    // A static pod's name has the node's behind it; one of the API is called as it is.
    const found = await called(`${name}-${nodeName}`);
    return found.length > 0 || !this.cluster ? found : called(name);
  }

  private async containerId(name: string, container: string): Promise<string> {
    const named = async (pod: string) => {
      const labelSelector = { 'io.kubernetes.pod.name': pod, 'io.kubernetes.container.name': container };
      const request: ListContainersRequest = { filter: { labelSelector } };
      const { containers = [] } = await this.ask((cri) => cri.runtime.listContainers(background, request));
      return containers.find((c) => containerState(c) === 'CONTAINER_RUNNING');
    };
    const found = (await named(`${name}-${nodeName}`)) ?? (this.cluster ? await named(name) : undefined);
    if (!found?.id) throw new Error(`container ${container} of pod ${name} does not run`);
    return found.id;
  }

  private async pidOf(kind: 'container' | 'sandbox', id: string): Promise<number> {
    const { info } =
      kind === 'container'
        ? await this.ask((cri) => cri.runtime.containerStatus(background, { containerId: id, verbose: true }))
        : await this.ask((cri) => cri.runtime.podSandboxStatus(background, { podSandboxId: id, verbose: true }));
    const { pid } = JSON.parse(info?.info ?? '{}') as { pid?: number };
    if (!pid) throw new Error(`the runtime does not say which process ${kind} ${id} has (verbose status, info.pid)`);
    return pid;
  }

  private async poll(): Promise<void> {
    for (; this.polling; await delay(pollMillis)) {
      await this.inClusterIfAny((c) => c.snapshot());
      const { server } = this;
      if (!server) continue;
      try {
        const response = await fetch(`http://127.0.0.1:${server.port}/pods`);
        const { items } = (await response.json()) as { items: { metadata: Record<string, unknown>; status: object }[] };
        const pods = items.map(({ metadata, status }) => ({
          name: String(metadata.name),
          uid: String(metadata.uid),
          deletionTimestamp: Boolean(metadata.deletionTimestamp),
          status: status as PodSnapshot['status'],
        })) as PodSnapshot[];
        const text = JSON.stringify(pods);
        if (text === this.lastStatus) continue;
        this.lastStatus = text;
        this.status.push({ at: Math.round(this.now()), pods });
      } catch {
        // It is just being stopped.
      }
    }
  }
}

/** The kubelet links the logs of its containers from a folder of the machine: takes out those that lead into `work`. */
export async function removeLogLinks(work: string): Promise<void> {
  const folder = '/var/log/containers';
  for (const name of await readdir(folder).catch(() => [])) {
    const target = await readlink(join(folder, name)).catch(() => '');
    if (target.startsWith(`${work}/`)) await rm(join(folder, name), { force: true });
  }
}
