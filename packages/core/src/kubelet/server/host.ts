/**
 * The parts of the kubelet that its server uses.
 * upstream: pkg/kubelet/kubelet_pods.go, kubelet.go, kuberuntime_container.go, kuberuntime_sandbox.go
 */

import { toTime } from '../../api/time.js';
import { formatPod, getPodFullName, type Pod, type PodStatus } from '../../api/types.js';
import { base64Decode, messageOf } from '../../base/index.js';
import type { CRIServices } from '../../cri/index.js';
import { asCRIError, type ContainerStatusResponse, GrpcCode } from '../../cri/index.js';
import type { Kernel } from '../../kernel/index.js';
import { background, type Context, frame, type Go, withValue } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { getContainerSpec } from '../container/helpers.js';
import type { Runtime } from '../container/types.js';
import { type ContainerID, formatContainerID, type RuntimePod } from '../container/types.js';
import { privateContent } from '../cri-private.js';
import type { Logger } from '../klog.js';
import type { PodManager } from '../podmanager/types.js';
import { parseContainerID } from '../prober/worker.js';
import type { StatusManager } from '../status/types.js';
import { HTTPError } from './errors.js';
import { type PodLogOptions, sinceOf } from './log-options.js';
import { type LogFiles, type LogWriter, readLogs } from './read-logs.js';
import type { RemoteCommandOptions } from './remote-command.js';

/** The pods as the runtime knows them. */
interface RuntimePods {
  readonly containerRuntime: Pick<Runtime, 'getPods'>;
}

/** The parts of the kubelet for commands, streams and checkpoints in a running container. */
interface StreamingDeps extends RuntimePods {
  readonly services: Pick<CRIServices, 'attach' | 'checkpointContainer' | 'exec' | 'execSync' | 'portForward'>;
}

interface ContainerLogsDeps {
  readonly kernel: Kernel;
  readonly log: Logger;
  readonly services: Pick<CRIServices, 'containerStatus'>;
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
}

/** Commands and streams are the users' own data: such calls leave their content out of every record. */
const withPrivateContent = (ctx: Context): Context => withValue(ctx, privateContent, true);

/** A pod that the kubelet should run. Throws an HTTPError 404. upstream: (*Kubelet).GetPodByName */
export function getPodByName(
  kl: { readonly podManager: Pick<PodManager, 'getPodByFullName'> },
  namespace: string,
  name: string,
  text = 'pod does not exist',
): Pod {
  const pod = kl.podManager.getPodByFullName(`${name}_${namespace}`);
  if (!pod) throw new HTTPError(404, text);
  return pod;
}

/** Finds a running container; undefined if there is none. upstream: (*Kubelet).findContainer */
function* findContainer(
  kl: RuntimePods,
  ctx: Context,
  fullName: string,
  container: string,
): Go<ContainerID | undefined> {
  const pod = yield* findPod(kl, ctx, fullName);
  return pod?.containers.find((c) => c.name === container)?.id;
}

function* findPod(kl: RuntimePods, ctx: Context, fullName: string): Go<RuntimePod | undefined> {
  const pods = yield* kl.containerRuntime.getPods(ctx, false);
  return pods.find((p) => `${p.name}_${p.namespace}` === fullName);
}

const notFound = (container: string) => new Error(`container not found (${JSON.stringify(container)})`);

/** The HTTP error that a client gets when the runtime refuses a stream. upstream: streaming.WriteError */
export function streamingError(err: unknown): HTTPError {
  if (err instanceof HTTPError) return err;
  const { code } = asCRIError(err, 'exec');
  const text = messageOf(err);
  if (code === GrpcCode.NotFound) return new HTTPError(404, text);
  // The runtime keeps the token of an unused stream for 60 s.
  if (code === GrpcCode.ResourceExhausted) return new HTTPError(429, text, { 'Retry-After': '60' });
  return new HTTPError(500, text);
}

/** The URL of the stream. Throws the errors of the runtime. upstream: (*Kubelet).GetExec */
export function* getExec(
  kl: StreamingDeps,
  ctx: Context,
  pod: Pod,
  container: string,
  cmd: readonly string[],
  { stdin, stdout, stderr, tty }: RemoteCommandOptions,
): Go<string> {
  const id = yield* findContainer(kl, ctx, getPodFullName(pod), container);
  if (!id) throw notFound(container);
  const { url = '' } = yield* kl.services.exec(withPrivateContent(ctx), {
    containerId: id.id,
    cmd: [...cmd],
    tty,
    stdin,
    stdout,
    stderr,
  });
  return mustURL(url);
}

/** The container itself determines whether the stream has a terminal. upstream: (*Kubelet).GetAttach */
export function* getAttach(
  kl: StreamingDeps,
  ctx: Context,
  pod: Pod,
  uid: string,
  container: string,
  { stdin, stdout, stderr }: RemoteCommandOptions,
): Go<string> {
  const fullName = getPodFullName(pod);
  const id = yield* findContainer(kl, ctx, fullName, container);
  const missing = new Error(`container ${container} not found in pod ${fullName}`);
  if (!id) throw missing;
  if (uid !== '' && pod.metadata.uid !== uid) throw new Error(`pod ${fullName} not found`);
  const spec = getContainerSpec(pod, container);
  if (!spec) throw missing;
  const tty = spec.tty ?? false;
  const { url = '' } = yield* kl.services.attach(withPrivateContent(ctx), {
    containerId: id.id,
    tty,
    stdin,
    stdout,
    stderr: stderr && !tty,
  });
  return mustURL(url);
}

/** upstream: (*Kubelet).GetPortForward */
export function* getPortForward(kl: StreamingDeps, ctx: Context, pod: Pod, ports: readonly number[]): Go<string> {
  const fullName = getPodFullName(pod);
  const found = yield* findPod(kl, ctx, fullName);
  if (!found) throw new Error(`pod not found (${JSON.stringify(fullName)})`);
  const sandbox = found.sandboxes[0];
  if (!sandbox) throw new Error(`failed to find sandboxID for pod ${formatPod(pod)}`);
  const { url = '' } = yield* kl.services.portForward(withPrivateContent(ctx), {
    podSandboxId: sandbox.id.id,
    port: [...ports],
  });
  return mustURL(url);
}

function mustURL(url: string): string {
  if (url === '') throw new Error('URL is not set');
  return url;
}

/**
 * Returns both outputs of a command, one after the other; throws if it did not run or ended with another code than 0.
 * upstream: (*Kubelet).RunInContainer
 */
export function* runInContainer(
  kl: StreamingDeps,
  ctx: Context,
  pod: Pod,
  container: string,
  cmd: readonly string[],
): Go<string> {
  const id = yield* findContainer(kl, ctx, getPodFullName(pod), container);
  if (!id) throw notFound(container);
  const r = yield* kl.services.execSync(withPrivateContent(ctx), { containerId: id.id, cmd: [...cmd] });
  const [stdout, stderr] = [base64Decode(r.stdout), base64Decode(r.stderr)];
  if (r.exitCode) throw new Error(`command '${cmd.join(' ')}' exited with ${r.exitCode}: ${stderr}`);
  return stdout + stderr;
}

/** `cmd` of a run. upstream: getRun, which splits at every single space */
export const splitRunCommand = (cmd: string): string[] => cmd.split(' ');

/** The archive's path. Throws what the runtime throws. upstream: (*Kubelet).CheckpointContainer */
export function* checkpointContainer(
  kl: StreamingDeps & { readonly kernel: Kernel; readonly config: Pick<KubeletConfig, 'rootDirectory'> },
  ctx: Context,
  pod: Pod,
  container: string,
  timeoutSeconds: bigint,
): Go<string> {
  const fullName = getPodFullName(pod);
  const id = yield* findContainer(kl, ctx, fullName, container);
  if (!id) throw new Error(`container ${container} not found`);
  const time = toTime(kl.kernel, kl.kernel.now());
  const location = `${kl.config.rootDirectory}/checkpoints/checkpoint-${fullName}-${container}-${time}.tar`;
  yield* kl.services.checkpointContainer(ctx, {
    containerId: id.id,
    location,
    ...(timeoutSeconds !== 0n && { timeout: String(timeoutSeconds) }),
  });
  return location;
}

/**
 * Writes a container's log; a null writer means that the stream is not wanted. Errors before the first byte are
 * Errors with upstream's text.
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).GetKubeletContainerLogs,
 * (*kubeGenericRuntimeManager).GetContainerLogs
 */
export function* getContainerLogs(
  kl: ContainerLogsDeps,
  files: LogFiles,
  ctx: Context,
  pod: Pod,
  container: string,
  options: PodLogOptions,
  write: LogWriter,
): Go<void> {
  const { kernel } = kl;
  yield* frame('GetKubeletContainerLogs', { pod: getPodFullName(pod), container }, function* () {
    // Right after a restart of the kubelet the API's status is the only one.
    const status = kl.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status;
    const id = validateContainerLogStatus(pod.metadata.name, status, container, options.previous);
    // Says that there is a log, before a container that says nothing makes one wait.
    if (options.stream !== 'Stderr') yield* write(new Uint8Array(0));
    const containerStatus = (c: Context) => kl.services.containerStatus(c, { containerId: id.id });
    let found: ContainerStatusResponse;
    try {
      found = yield* containerStatus(ctx);
    } catch (err) {
      kl.log.info(4, 'Failed to get container status', { containerID: id.id, err: messageOf(err) });
      throw new Error(`unable to retrieve container logs for ${formatContainerID(id)}`, { cause: err });
    }
    if (!found.status) throw new Error('container status is nil');
    const path = found.status.logPath ?? '';
    yield* readLogs(
      { kernel, files, containerStatus },
      ctx,
      path,
      {
        follow: options.follow,
        timestamps: options.timestamps,
        since: sinceOf(kernel, options),
        ...(options.tailLines !== undefined && { tailLines: options.tailLines }),
        ...(options.limitBytes !== undefined && { limitBytes: options.limitBytes }),
      },
      options.stream === 'Stderr' ? null : write,
      options.stream === 'Stdout' ? null : write,
    );
  });
}

/**
 * The instance of a container whose log was requested; throws if there is none.
 * upstream: validateContainerLogStatus
 */
export function validateContainerLogStatus(
  podName: string,
  status: PodStatus,
  container: string,
  previous: boolean,
): ContainerID {
  const names = `${JSON.stringify(container)} in pod ${JSON.stringify(podName)}`;
  const found = [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses]
    .map((list) => list?.find((s) => s.name === container))
    .find(Boolean);
  if (!found) throw new Error(`container ${names} is not available`);
  const { waiting, running, terminated } = found.state;
  const last = found.lastState.terminated;
  let id: string | undefined;
  if (previous) {
    if (!last?.containerID) throw new Error(`previous terminated container ${names} not found`);
    id = last.containerID;
  } else if (running) id = found.containerID;
  else if (terminated) id = terminated.containerID || last?.containerID;
  else if (last) id = last.containerID;
  else if (waiting) {
    const why =
      waiting.reason === 'ErrImagePull'
        ? "image can't be pulled"
        : waiting.reason === 'ImagePullBackOff'
          ? 'trying and failing to pull image'
          : (waiting.reason ?? '');
    throw new Error(`container ${names} is waiting to start: ${why}`);
  } else throw new Error(`container ${names} is waiting to start - no logs yet`);
  if (!id && !running) throw new Error(`container ${names} is terminated`);
  return parseContainerID(id ?? '');
}

/** upstream: encodePods */
export const podList = (items: readonly Pod[]) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: {},
  items,
});

/** A pod of /runningpods/: what the runtime knows and no more (fidelity 3:HTTP-03). */
export const runningPods = (kl: { getRunningPods(ctx: Context): Go<Pod[]> }, ctx: Context = background): Go<Pod[]> =>
  kl.getRunningPods(ctx);
