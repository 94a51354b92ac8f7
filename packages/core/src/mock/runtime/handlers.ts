import type * as cri from '../../cri/index.js';
import { CRIError, GrpcCode, type RpcMethod, rpcs } from '../../cri/index.js';
import { type Context, type Go, makeChan, sleep } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { FaultSubject } from '../faults/faults.js';
import {
  createContainer,
  mustFind,
  removeContainer,
  reopenContainerLog,
  startContainer,
  stateNames,
  stopContainer,
  updateContainerResources,
} from './containers.js';
import { type Core, lookupError, unknown } from './core.js';
import { execSync } from './exec.js';
import { imageFsInfo, imageStatus, listImages, pullImage, removeImage } from './image-service.js';
import { containerInfo, containerStatus, sandboxInfo, sandboxStatus } from './messages.js';
import { removePodSandbox, runPodSandbox, stopPodSandbox } from './sandboxes.js';
import type { Handler } from './server.js';
import { listContainerStats, listSandboxStats, oneContainerStats, oneSandboxStats } from './stats.js';

const listOf = <K extends string, T>(key: K, items: readonly T[]): object => (items.length > 0 ? { [key]: items } : {});
const quick = <R>(fn: (request: R) => object): Handler => ({ quick: (r) => fn(r as R) });
const slow = <R>(fn: (request: R, ctx: Context) => Go<object>): Handler => ({ slow: (r, ctx) => fn(r as R, ctx) });
/** Returns the handler of a call that reserves a name first: the name is taken for as long as the call is slow. */
const slowWithName = <R>(fn: (request: R, ctx: Context, delay: Micros) => Go<object>): Handler => ({
  slow: (r, ctx, delay) => fn(r as R, ctx, delay),
  waits: true,
});

/** Returns the handler of each method. A method without one is Unimplemented. */
export function handlers(core: Core, onStop: Set<() => void>): ReadonlyMap<RpcMethod, Handler> {
  const { options } = core;
  const modern = options.modern ?? true;
  const table: Partial<Record<RpcMethod, Handler>> = {
    version: quick(() => ({
      version: '0.1.0',
      runtimeName: 'containerd',
      runtimeVersion: options.runtimeVersion ?? 'v2.1.9',
      runtimeApiVersion: 'v1',
    })),
    status: quick((r: cri.StatusRequest) => status(core, r)),
    runPodSandbox: slowWithName((r: cri.RunPodSandboxRequest, ctx, delay) => runPodSandbox(core, r, ctx, delay)),
    stopPodSandbox: slow((r: cri.StopPodSandboxRequest) => stopPodSandbox(core, r)),
    removePodSandbox: slow((r: cri.RemovePodSandboxRequest) => removePodSandbox(core, r)),
    podSandboxStatus: quick((r: cri.PodSandboxStatusRequest) => {
      const s = core.store.sandbox(r.podSandboxId ?? '');
      if (!s)
        throw lookupError(core.store.sandboxes, r.podSandboxId ?? '', 'an error occurred when try to find sandbox');
      return { status: sandboxStatus(s), ...(r.verbose && { info: { info: sandboxInfo(s) } }) };
    }),
    listPodSandbox: quick((r: cri.ListPodSandboxRequest) => listOf('items', core.lists.sandboxes(r.filter))),
    createContainer: slowWithName((r: cri.CreateContainerRequest, ctx, delay) => createContainer(core, r, ctx, delay)),
    startContainer: slow((r: cri.StartContainerRequest) => startContainer(core, r)),
    stopContainer: slow((r: cri.StopContainerRequest, ctx) => stopContainer(core, r, ctx)),
    removeContainer: slow((r: cri.RemoveContainerRequest) => removeContainer(core, r)),
    listContainers: quick((r: cri.ListContainersRequest) => listOf('containers', core.lists.containers(r.filter))),
    containerStatus: quick((r: cri.ContainerStatusRequest) => {
      const c = mustFind(core, r.containerId);
      return {
        status: containerStatus(c),
        ...(r.verbose && { info: { info: containerInfo(c) } }),
      };
    }),
    updateContainerResources: slow(function* (r: cri.UpdateContainerResourcesRequest) {
      yield* sleep(core.callTime(15_000));
      return updateContainerResources(core, r);
    }),
    reopenContainerLog: quick((r: cri.ReopenContainerLogRequest) => reopenContainerLog(core, r)),
    execSync: slow((r: cri.ExecSyncRequest, ctx) => execSync(core, r, ctx)),
    // Without a server to stream from it still knows what exists.
    exec: quick((r: cri.ExecRequest) => {
      const id = r.containerId ?? '';
      const c = core.store.container(id);
      if (!c) throw lookupError(core.store.containers, id, `failed to find container "${id}" in store`);
      return streamOf(core, 'Exec', { ...r, containerId: c.id, command: r.cmd ?? [] });
    }),
    attach: quick((r: cri.AttachRequest) => {
      const id = r.containerId ?? '';
      const c = core.store.container(id);
      if (!c) throw lookupError(core.store.containers, id, 'failed to find container in store');
      return streamOf(core, 'Attach', { ...r, containerId: c.id, command: null });
    }),
    portForward: quick((r: cri.PortForwardRequest) => {
      const id = r.podSandboxId ?? '';
      if (core.store.sandbox(id)) throw noStreams('PortForward');
      throw lookupError(core.store.sandboxes, id, `failed to find sandbox "${id}"`);
    }),
    containerStats: quick((r: cri.ContainerStatsRequest) => ({ stats: oneContainerStats(core, r.containerId) })),
    listContainerStats: quick((r: cri.ListContainerStatsRequest) =>
      listOf('stats', listContainerStats(core, r.filter)),
    ),
    podSandboxStats: quick((r: cri.PodSandboxStatsRequest) => ({ stats: oneSandboxStats(core, r.podSandboxId) })),
    listPodSandboxStats: quick((r: cri.ListPodSandboxStatsRequest) =>
      listOf('stats', listSandboxStats(core, r.filter)),
    ),
    updateRuntimeConfig: quick(() => ({})),
    updatePodSandboxResources: quick((r: cri.UpdatePodSandboxResourcesRequest) => {
      if (!core.store.sandbox(r.podSandboxId ?? ''))
        throw lookupError(core.store.sandboxes, r.podSandboxId ?? '', 'failed to find sandbox');
      return {};
    }),
    listImages: quick(() => listImages(core)),
    imageStatus: quick((r: cri.ImageStatusRequest) => imageStatus(core, r)),
    pullImage: slow((r: cri.PullImageRequest, ctx) => pullImage(core, r, ctx)),
    removeImage: slow((r: cri.RemoveImageRequest) => removeImage(core, r)),
    imageFsInfo: quick(() => imageFsInfo(core)),
  };
  if (modern) {
    table.runtimeConfig = quick(() => ({
      linux: options.cgroupDriver === 'systemd' ? {} : { cgroupDriver: 'CGROUPFS' },
    }));
    table.getContainerEvents = slow((_r, ctx) => containerEvents(core, ctx, onStop));
  }
  return new Map(Object.entries(table) as [RpcMethod, Handler][]);
}

/** upstream: (*criService).Exec, (*criService).Attach: the URL at which the stream is available */
function streamOf(
  core: Core,
  name: 'Exec' | 'Attach',
  { containerId, command, ...r }: cri.AttachRequest & { containerId: string; command: readonly string[] | null },
): { url: string } {
  if (!core.options.streams) throw noStreams(name);
  const { state } = mustFind(core, containerId);
  if (state !== 'running') throw unknown(`container is in ${stateNames[state]} state`);
  const { stdin = false, stdout = false, stderr = false, tty = false } = r;
  return { url: core.options.streams({ containerId, command, stdin, stdout, stderr, tty }) };
}

const noStreams = (name: string) => new CRIError(GrpcCode.Unimplemented, `method ${name} not implemented`);

/** Returns the handler of a method that this runtime does not have. */
export const unimplemented = (method: RpcMethod): Handler =>
  quick(() => {
    throw new CRIError(GrpcCode.Unimplemented, `method ${rpcs[method].name} not implemented`, { method });
  });

function status(core: Core, request: cri.StatusRequest): cri.StatusResponse {
  const network: cri.RuntimeCondition = core.networkReady
    ? { type: 'NetworkReady', status: true }
    : {
        type: 'NetworkReady',
        reason: 'NetworkPluginNotReady',
        message: 'Network plugin returns error: cni plugin not initialized',
      };
  const features = { recursiveReadOnlyMounts: true, userNamespaces: core.options.userNamespaces ?? true };
  return {
    status: {
      conditions: [
        { type: 'RuntimeReady', status: true },
        network,
        { type: 'ContainerdHasNoDeprecationWarnings', status: true },
      ],
    },
    runtimeHandlers: [{ features }, { name: 'runc', features }],
    features: { supplementalGroupsPolicy: true },
    ...(request.verbose && { info: { config: '{}', golang: 'go1.24' } }),
  };
}

/** upstream: (*criService).GetContainerEvents. Ends with the caller's context or the server. */
function* containerEvents(core: Core, ctx: Context, onStop: Set<() => void>): Go<object> {
  const chan = makeChan<cri.ContainerEventResponse | CRIError>(core.kernel, 'containerEvents', 1000, {
    describe: (e) =>
      e instanceof CRIError ? e.details : `${e.containerEventType ?? 'CONTAINER_CREATED_EVENT'} ${e.containerId ?? ''}`,
  });
  const listener = (event: cri.ContainerEventResponse) => {
    chan.trySend(event);
  };
  const end = (error?: CRIError) => {
    if (!core.listeners.delete(listener)) return;
    onStop.delete(broken);
    if (error) chan.trySend(error);
    chan.close();
  };
  const broken = () =>
    end(new CRIError(GrpcCode.Unavailable, 'error reading from server: EOF', { method: 'getContainerEvents' }));
  core.listeners.add(listener);
  onStop.add(broken);
  ctx.afterFunc(() => end());
  return chan;
}

/** Returns the subject of a call, for fault rules. */
export function subjectOf(core: Core, method: RpcMethod, request: object): FaultSubject {
  const r = request as {
    podSandboxId?: string;
    containerId?: string;
    config?: { metadata?: { name?: string; namespace?: string; uid?: string } };
    image?: { image?: string };
  };
  if (method === 'runPodSandbox') {
    const m = r.config?.metadata;
    return {
      method,
      ...(m?.uid !== undefined && { uid: m.uid }),
      ...(m?.name !== undefined && { pod: m.name }),
      ...(m?.namespace !== undefined && { namespace: m.namespace }),
    };
  }
  const container = r.containerId === undefined ? null : core.store.container(r.containerId);
  const sandbox = container?.sandbox ?? (r.podSandboxId === undefined ? null : core.store.sandbox(r.podSandboxId));
  const name = container?.name ?? (method === 'createContainer' ? r.config?.metadata?.name : undefined);
  return {
    method,
    ...(sandbox && { uid: sandbox.uid, pod: sandbox.pod, namespace: sandbox.namespace }),
    ...(name !== undefined && { container: name }),
    ...(r.image?.image !== undefined && { image: r.image.image }),
  };
}
