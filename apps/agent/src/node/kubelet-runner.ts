/** Runs core's kubelet on this machine: real clock, real runtime, real files. */
import { randomInt } from 'node:crypto';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { RestTransport } from '@syncloop/core/api';
import { sandboxState } from '@syncloop/core/cri';
import type { NodeInfo } from '@syncloop/core/host';
import { background, type Go, Kernel, type PanicError } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import {
  type Kubelet,
  type KubeletConfig,
  type KubeletDeps,
  newKubelet,
  type ShutdownSignal,
} from '@syncloop/core/kubelet';
import type { KubeletParts } from '@syncloop/core/kubelet/parts';
import type { RecordSink } from '@syncloop/core/trace';
import { SetupError } from '../base/errors.js';
import type { AgentConfig } from '../config/agent-config.js';
import { connectRuntime, type RuntimeConnection } from '../cri/client.js';
import { EndpointError } from '../cri/endpoint.js';
import type { Tap } from '../cri/tap.js';
import { refuseForeignCgroups, usableCgroups } from '../host/cgroup-check.js';
import { loadCredentialPlugins } from '../host/credential-plugins.js';
import { kmsgStreamer } from '../host/kmsg.js';
import { mkdirAll } from '../host/mkdir-all.js';
import { nodeInfo } from '../host/node-info.js';
import { nodeOS } from '../host/os.js';
import { nodeProbeTransport } from '../host/probe-transport.js';
import { hostStats } from '../host/stats.js';
import { type PluginSockets, pluginSockets } from '../plugins/sockets.js';
import { refuseUsedRootDir } from '../security/other-kubelet.js';
import { ownLogs } from '../security/own-logs.js';
import { adoptAll, ownPodsOnly } from '../security/own-only.js';
import { Ownership } from '../security/ownership.js';

/** The options of {@link startKubelet}. */
export interface StartOptions {
  readonly config: AgentConfig;
  readonly nodeIP?: string;
  /** Take over pods of the runtime that this root directory does not know. */
  readonly adoptPods?: boolean;
  /** Start on a node with pods of others, and leave those alone. */
  readonly shareNode?: boolean;
  /** Let images be removed that this kubelet did not pull. */
  readonly removeAnyImage?: boolean;
  /** Makes parts that decide in place of the kubelet's own; what it throws ends the start. */
  readonly parts?: (kernel: Kernel) => KubeletParts;
  /** The longest wait for the runtime's socket, ms. */
  readonly connectMillis?: number;
  /** Called while it waits, with the reason. */
  readonly onWaiting?: (why: string) => void;
  /** Called with what will be missing on this machine, and the remedy. */
  readonly onWarning?: (text: string) => void;
  readonly tap?: Tap;
  /** Aborts the start; once the kubelet runs it means nothing. */
  readonly signal?: AbortSignal;
  /**
   * Called before the kubelet is made, so that sinks see its very first records. `node.kubelet` is not there yet. What
   * it throws ends the start.
   */
  readonly prepare?: (node: RunningNode) => void | Promise<void>;
  /** Called after `prepare`: the way to an API server. Null, or missing: stand-alone. */
  readonly transport?: (node: RunningNode) => RestTransport | null;
  /**
   * Called after `prepare`: how the certificate of the kubelet's server is looked after. Null, or missing: it is not.
   */
  readonly serving?: () => KubeletDeps['serving'] | null;
  /** Called after `prepare`: figures of the client certificate. Null, or missing: the kubelet does not renew it. */
  readonly clientCertificate?: () => KubeletDeps['clientCertificate'] | null;
}

/** A kubelet that runs. */
export interface RunningNode {
  readonly kernel: Kernel;
  readonly driver: RealDriver;
  readonly name: string;
  readonly info: NodeInfo;
  readonly kubelet: Kubelet;
  /** Null while it is not made yet. */
  madeKubelet(): Kubelet | null;
  readonly connection: RuntimeConnection;
  /** Name and version of the runtime: `containerd 2.1.9`. */
  readonly runtimeName: string;
  /** Settles when the kubelet ended by itself, with the error. */
  readonly ended: Promise<Error>;
  /** Runs `body` between the kubelet's steps. */
  run<T>(name: string, body: () => Go<T>): Promise<T>;
  addSink(sink: RecordSink): void;
  /** Ends it as SIGKILL would; containers go on. Resolves when its sockets are gone. */
  stop(): Promise<void>;
}

const retryMillis = 250;

/** systemd's logind announces shutdowns over D-Bus, which the agent cannot reach. */
const noLogind: ShutdownSignal = {
  *onShutdown() {
    throw new Error('systemd-logind cannot be reached here (D-Bus): pods are not ended before the machine shuts down');
  },
  *release() {},
};

/** Connects, checks, and starts. Rejects with a SetupError or EndpointError with the remedy. */
export async function startKubelet(options: StartOptions): Promise<RunningNode> {
  const { config } = options;
  const { kubelet: kubeletConfig } = config;
  const connection = await connect(options);
  const clock = new RealClock();
  let fail: (err: Error) => void = () => {};
  const ended = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const kernel = new Kernel({ clock, seed: randomInt(2 ** 31), onPanic: (panic: PanicError) => fail(panic) });
  const driver = new RealDriver(kernel);
  driver.onError = (err) => fail(err instanceof Error ? err : new Error(String(err)));
  const run = <T>(name: string, body: () => Go<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      kernel.post(() =>
        kernel.go(
          name,
          function* () {
            try {
              resolve(yield* body());
            } catch (err) {
              reject(err);
            }
          },
          { quiet: true, process: kernel.main },
        ),
      );
    });
  driver.start();
  let sockets: PluginSockets | null = null;
  try {
    const version = await run('version', () => connection.runtime.version(background, {}));
    await mkdirAll(kubeletConfig.rootDirectory, 0o750);
    const ownership = Ownership.open(kubeletConfig.rootDirectory, kubeletConfig.podLogsDir);
    const everything = { ...connection.runtime, ...connection.image };
    if (options.adoptPods) await run('adoptPods', () => adoptAll(everything, ownership));
    else {
      if (!ownership.known) await refuseUsedRootDir(kubeletConfig.rootDirectory);
      if (!options.shareNode)
        await refuseForeignPods(
          run,
          connection,
          ownership,
          kubeletConfig.rootDirectory,
          config.containerRuntimeEndpoint,
        );
    }
    const { removeAnyImage = false } = options;
    const own = ownPodsOnly(everything, ownership, { removeAnyImage });
    const { imageCredentialProvider } = config;
    const credentialPlugins =
      imageCredentialProvider && loadCredentialPlugins(imageCredentialProvider.config, imageCredentialProvider.binDir);
    const cgroups = kubeletConfig.cgroupsPerQOS ? usableCgroups() : null;
    if (cgroups && !options.adoptPods)
      await run('refuseForeignCgroups', () => refuseForeignCgroups(cgroups, kubeletConfig));
    await mkdirAll(kubeletConfig.podLogsDir, 0o755);
    const info = nodeInfo(kubeletConfig.nodeName, config.resolvConf, options.nodeIP, {
      rootDirectory: kubeletConfig.rootDirectory,
    });
    let made: Kubelet | null = null;
    const kmsg = kmsgStreamer(kernel);
    sockets = pluginSockets(kubeletConfig.rootDirectory, options.onWarning);
    const node: RunningNode = {
      kernel,
      driver,
      name: kubeletConfig.nodeName,
      info,
      get kubelet() {
        if (!made) throw new Error('the kubelet has not been created yet');
        return made;
      },
      madeKubelet: () => made,
      connection: { runtime: own, image: own, close: () => connection.close() },
      runtimeName: `${version.runtimeName ?? ''} ${version.runtimeVersion ?? ''}`.trim(),
      ended,
      run,
      addSink: (sink) => void kernel.addSink(sink),
      async stop() {
        if (made) kernel.kill(made.process);
        kmsg?.stop();
        driver.stop();
        connection.close();
        await sockets?.close();
      },
    };
    await options.prepare?.(node);
    options.signal?.throwIfAborted();
    const [serving, clientCertificate] = [options.serving?.(), options.clientCertificate?.()];
    const kubelet = newKubelet({
      kernel,
      config: { ...kubeletConfig, port: config.port },
      runtimeService: own,
      imageService: own,
      os: ownLogs(nodeOS({ folders: ownFolders(kubeletConfig) }), ownership, kubeletConfig.podLogsDir),
      probeTransport: nodeProbeTransport(),
      nodeInfo: info,
      imageCredentials: {
        working: process.cwd(),
        home: homedir(),
        ...(credentialPlugins && { plugins: credentialPlugins }),
      },
      ...(cgroups && { cgroups }),
      hostStats: hostStats({ cgroupRoot: kubeletConfig.cgroupRoot, cgroupsPerQOS: kubeletConfig.cgroupsPerQOS }),
      ...(kmsg && { oomStreamer: kmsg }),
      shutdownSignal: noLogind,
      ...(sockets && { plugins: sockets.host }),
      transport: options.transport?.(node) ?? null,
      ...(options.parts && { parts: options.parts(kernel) }),
      ...(serving && { serving }),
      ...(clientCertificate && { clientCertificate }),
    });
    made = kubelet;
    if (kubelet.podResources) await sockets?.servePodResources(kubelet.podResources, run);
    kernel.addSink((record) => {
      if (record.kind === 'process' && record.process === kubelet.process.name && record.state === 'stopped') {
        fail(kubelet.exited ?? new Error('the kubelet ended'));
      }
    });
    kernel.post(() => kubelet.run());
    return node;
  } catch (err) {
    driver.stop();
    connection.close();
    await sockets?.close();
    throw err;
  }
}

/** The folders that the kubelet reads and writes all the time. */
function ownFolders({ rootDirectory, podLogsDir, staticPodPath }: KubeletConfig): string[] {
  return [rootDirectory, podLogsDir, staticPodPath, '/var/log/containers'];
}

/** Opens one connection, or two if images have an endpoint of their own. */
async function connect(options: StartOptions): Promise<RuntimeConnection> {
  const { containerRuntimeEndpoint, imageServiceEndpoint } = options.config;
  const both = await connectTo(containerRuntimeEndpoint, options);
  if (imageServiceEndpoint === '' || imageServiceEndpoint === containerRuntimeEndpoint) return both;
  try {
    const images = await connectTo(imageServiceEndpoint, options);
    const close = () => {
      both.close();
      images.close();
    };
    return { runtime: both.runtime, image: images.image, close };
  } catch (err) {
    both.close();
    throw err;
  }
}

/** Waits some time for a runtime that is not up yet. */
async function connectTo(endpoint: string, options: StartOptions): Promise<RuntimeConnection> {
  const { config, connectMillis = 0, onWaiting, tap, signal } = options;
  const until = performance.now() + connectMillis;
  for (let first = true; ; first = false) {
    try {
      return await connectRuntime(endpoint, { timeout: config.kubelet.runtimeRequestTimeout, ...(tap && { tap }) });
    } catch (err) {
      const waits = err instanceof EndpointError && (err.code === 'missing' || err.code === 'refused');
      if (!waits || performance.now() >= until) throw err;
      if (first) onWaiting?.(err.message);
      await delay(retryMillis, undefined, { signal });
    }
  }
}

/**
 * A kubelet ends every pod that it finds in its runtime and that no manifest asks for. It does not find those of others
 * here (see own-only.ts), yet two kubelets on one machine share more than pods.
 */
async function refuseForeignPods(
  run: RunningNode['run'],
  connection: RuntimeConnection,
  ownership: Ownership,
  rootDir: string,
  endpoint: string,
): Promise<void> {
  const { items = [] } = await run('listPodSandbox', () => connection.runtime.listPodSandbox(background, {}));
  const foreign = items.filter(
    (s) => sandboxState(s) === 'SANDBOX_READY' && !ownership.hasSandbox(s.id, s.metadata?.uid),
  );
  if (foreign.length === 0) return;
  const names = foreign.slice(0, 3).map((s) => `${s.metadata?.namespace}/${s.metadata?.name}`);
  const more = foreign.length > 3 ? ` and ${foreign.length - 3} more` : '';
  throw new SetupError(
    `the runtime at ${endpoint} runs pods that were not started from ${rootDir}: ${names.join(', ')}${more}. ` +
      'Use a runtime of its own, or the --root-dir that they were started from; to start next to them and leave them alone, ' +
      'give --share-node; to let this kubelet take them over (it ends those that no manifest asks for), give --adopt-pods',
  );
}
