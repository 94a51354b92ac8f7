import type {
  IDMapping,
  RemovePodSandboxRequest,
  RunPodSandboxRequest,
  RunPodSandboxResponse,
  StopPodSandboxRequest,
  UserNamespace,
} from '../../cri/index.js';
import { GrpcCode } from '../../cri/index.js';
import { type Context, type Go, sleep } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Namespace } from '../network/network.js';
import type { IDRange } from '../process/privileges.js';
import { killAndWait, removeContainer } from './containers.js';
import { type Core, lookupError, unknown } from './core.js';
import { sandboxFiles } from './sandbox-files.js';
import { sandboxExited } from './sandbox-process.js';
import type { Sandbox } from './store.js';

/**
 * A call that was slow for so long (`delay`, in microseconds) that its caller has given up has no effect.
 * upstream: containerd internal/cri/server (*criService).RunPodSandbox
 */
export function* runPodSandbox(
  core: Core,
  request: RunPodSandboxRequest,
  ctx: Context,
  delay: Micros,
): Go<RunPodSandboxResponse> {
  const config = request.config ?? {};
  const { metadata } = config;
  if (!metadata) throw unknown('sandbox config must include metadata');
  const { name = '', namespace = '', uid = '', attempt = 0 } = metadata;
  const id = core.random.hex(64);
  const reserved = [name, namespace, uid, attempt].join('_');
  const holder = core.store.names.get(reserved);
  if (holder !== undefined)
    throw unknown(`failed to reserve sandbox name "${reserved}": name "${reserved}" is reserved for "${holder}"`);
  core.store.names.set(reserved, id);
  const givenUp = () => {
    const ended = ctx.err();
    if (!ended) return;
    core.store.names.delete(reserved);
    throw unknown(`failed to start sandbox "${id}": ${ended.message}`);
  };
  if (delay > 0) {
    yield* sleep(delay);
    givenUp();
  }
  const total = core.callTime(core.latencies.runPodSandbox);
  yield* sleep(Math.round(total * 0.5));
  if (core.scripted) givenUp();

  const hostNetwork = config.linux?.securityContext?.namespaceOptions?.network === 'NODE';
  let net: Namespace | null = null;
  if (hostNetwork) net = core.network.host;
  else if (core.networkReady) net = core.network.allocate();
  if (!net) {
    core.store.names.delete(reserved);
    const why = core.networkReady
      ? `plugin type="bridge" failed (add): failed to allocate for range 0: no IP addresses available in range set`
      : 'cni plugin not initialized';
    throw unknown(`failed to setup network for sandbox "${id}": ${why}`);
  }
  const handler = request.runtimeHandler ?? '';
  if (handler !== '' && handler !== 'runc') {
    core.store.names.delete(reserved);
    core.network.release(net);
    throw unknown(`failed to get sandbox runtime: no runtime for "${handler}" is configured`);
  }
  const { usernsOptions } = config.linux?.securityContext?.namespaceOptions ?? {};
  const unfit = userNamespaceProblem(usernsOptions);
  if (unfit !== null) {
    core.store.names.delete(reserved);
    core.network.release(net);
    throw unknown(`failed to create containerd container: failed to generate sandbox container spec options: ${unfit}`);
  }
  const createdAt = core.nowNs();
  yield* sleep(total - Math.round(total * 0.5));
  const sandbox: Sandbox = {
    id,
    config,
    uid,
    pod: name,
    namespace,
    attempt,
    name: reserved,
    createdAt,
    files: sandboxFiles(core, config),
    runtimeHandler: handler,
    containers: new Set(),
    hostNetwork,
    hostname: hostNetwork ? core.nodeName : config.hostname || name,
    uids: ownRange(usernsOptions, usernsOptions?.uids),
    gids: ownRange(usernsOptions, usernsOptions?.gids),
    pids: { next: 7 },
    ready: true,
    alive: true,
    net,
    listed: null,
    status: null,
  };
  core.store.sandboxes.set(id, sandbox);
  core.store.changed(sandbox);
  core.emitSandbox(sandbox, 'ready');
  core.event('CONTAINER_CREATED_EVENT', sandbox, id);
  core.event('CONTAINER_STARTED_EVENT', sandbox, id);
  return { podSandboxId: id };
}

/**
 * Says why a sandbox cannot have the user namespace that it asks for; null if it can. upstream (containerd):
 * parseUsernsIDs, WithRemapperLabels
 */
function userNamespaceProblem(options: UserNamespace | undefined): string | null {
  const mode = options?.mode ?? 'POD';
  if (!options || mode === 'NODE') return null;
  if (mode !== 'POD') return `unsupported user namespace mode: "${mode}"`;
  for (const mappings of [options.uids ?? [], options.gids ?? []]) {
    if (mappings.length === 0) return `can't use user namespace mode "${mode}" without UID and GID mappings`;
    if (mappings.length > 1) return `only one mapping line supported, got ${mappings.length} mapping lines`;
    if ((mappings[0]?.length ?? 0) < 1) return `invalid mapping length: ${mappings[0]?.length ?? 0}`;
    if ((mappings[0]?.containerId ?? 0) !== 0) return 'container ID 0 is not mapped to any host ID';
  }
  return null;
}

const ownRange = (options: UserNamespace | undefined, mappings: readonly IDMapping[] = []): IDRange | null =>
  options && (options.mode ?? 'POD') === 'POD'
    ? { containerId: mappings[0]?.containerId ?? 0, hostId: mappings[0]?.hostId ?? 0, length: mappings[0]?.length ?? 0 }
    : null;

/** upstream: (*criService).stopPodSandbox. Kills what still runs, then the sandbox, then gives its address back. */
function* stop(core: Core, s: Sandbox): Go<void> {
  const running = [...s.containers].filter((c) => c.state === 'running');
  for (const c of running) yield* killAndWait(core, c);
  const idle = !s.ready && !s.net;
  yield* sleep(idle ? core.latency(core.latencies.read) * 2 : core.callTime(core.latencies.stopPodSandbox));
  s.alive = false;
  const wasReady = s.ready;
  if (s.net) {
    core.network.release(s.net);
    s.net = null;
    core.store.changed(s);
  }
  if (wasReady) sandboxExited(core, s);
}

/** The sandbox that is to be stopped or removed, which may be gone; null then. */
function findIfThere(core: Core, id = ''): Sandbox | null {
  const s = core.store.sandbox(id);
  if (s) return s;
  const error = lookupError(core.store.sandboxes, id, `an error occurred when try to find sandbox "${id}"`);
  if (error.code !== GrpcCode.NotFound) throw error;
  return null;
}

export function* stopPodSandbox(core: Core, request: StopPodSandboxRequest): Go<object> {
  const s = findIfThere(core, request.podSandboxId);
  if (!s) {
    yield* sleep(core.latency(core.latencies.read));
    return {};
  }
  yield* stop(core, s);
  return {};
}

/** upstream: (*criService).RemovePodSandbox */
export function* removePodSandbox(core: Core, request: RemovePodSandboxRequest): Go<object> {
  const s = findIfThere(core, request.podSandboxId);
  if (!s) {
    yield* sleep(core.latency(core.latencies.read));
    return {};
  }
  if (s.ready || s.net) yield* stop(core, s);
  for (const c of [...s.containers]) yield* removeContainer(core, { containerId: c.id });
  yield* sleep(core.callTime(core.latencies.removePodSandbox));
  if (!core.store.sandboxes.delete(s.id)) return {};
  core.store.names.delete(s.name);
  core.store.changed(s);
  core.event('CONTAINER_DELETED_EVENT', s, s.id);
  core.emitSandbox(s, 'removed');
  return {};
}
