import type {
  ContainerFilter,
  ContainerStatus,
  LinuxContainerResources,
  Container as ListedContainer,
  PodSandbox,
  PodSandboxFilter,
  PodSandboxStatus,
} from '../../cri/index.js';
import { containerState, sandboxState } from '../../cri/index.js';
import type { Container, Sandbox, Store } from './store.js';

const criState = { created: undefined, running: 'CONTAINER_RUNNING', exited: 'CONTAINER_EXITED' } as const;
const filled = (o: object | undefined): boolean => o !== undefined && Object.keys(o).length > 0;

/** The short form of a sandbox. */
export function listedSandbox(s: Sandbox): PodSandbox {
  s.listed ??= {
    id: s.id,
    ...(s.config.metadata && { metadata: s.config.metadata }),
    ...(s.ready ? {} : { state: 'SANDBOX_NOTREADY' as const }),
    createdAt: s.createdAt,
    ...(filled(s.config.labels) && { labels: s.config.labels }),
    ...(filled(s.config.annotations) && { annotations: s.config.annotations }),
    ...(s.runtimeHandler && { runtimeHandler: s.runtimeHandler }),
  };
  return s.listed;
}

/** A sandbox in full. */
export function sandboxStatus(s: Sandbox): PodSandboxStatus {
  const options = s.config.linux?.securityContext?.namespaceOptions;
  s.status ??= {
    id: s.id,
    ...(s.config.metadata && { metadata: s.config.metadata }),
    ...(s.ready ? {} : { state: 'SANDBOX_NOTREADY' as const }),
    createdAt: s.createdAt,
    network: s.net && !s.hostNetwork ? { ip: s.net.ip } : {},
    linux: { namespaces: options ? { options } : {} },
    ...(filled(s.config.labels) && { labels: s.config.labels }),
    ...(filled(s.config.annotations) && { annotations: s.config.annotations }),
    ...(s.runtimeHandler && { runtimeHandler: s.runtimeHandler }),
  };
  return s.status;
}

/** The short form of a container. */
export function listedContainer(c: Container): ListedContainer {
  const state = criState[c.state];
  c.listed ??= {
    id: c.id,
    podSandboxId: c.sandbox.id,
    ...(c.config.metadata && { metadata: c.config.metadata }),
    ...(c.config.image && { image: c.config.image }),
    imageRef: c.image.id,
    ...(state && { state }),
    createdAt: c.createdAt,
    ...(filled(c.config.labels) && { labels: c.config.labels }),
    ...(filled(c.config.annotations) && { annotations: c.config.annotations }),
    imageId: c.image.id,
  };
  return c.listed;
}

/** A container in full. */
export function containerStatus(c: Container): ContainerStatus {
  const state = criState[c.state];
  const name = c.image.repoTags[0] ?? c.image.repoDigests[0] ?? c.config.image?.image ?? '';
  const resources = shownResources(c.resources);
  c.status ??= {
    id: c.id,
    ...(c.config.metadata && { metadata: c.config.metadata }),
    ...(state && { state }),
    createdAt: c.createdAt,
    ...(c.startedAt && { startedAt: c.startedAt }),
    ...(c.finishedAt && { finishedAt: c.finishedAt }),
    ...(c.exitCode !== 0 && { exitCode: c.exitCode }),
    image: { image: name },
    imageRef: c.image.repoDigests[0] ?? c.image.id,
    ...(c.reason && { reason: c.reason }),
    ...(c.message && { message: c.message }),
    ...(filled(c.config.labels) && { labels: c.config.labels }),
    ...(filled(c.config.annotations) && { annotations: c.config.annotations }),
    ...(c.config.mounts && c.config.mounts.length > 0 && { mounts: c.config.mounts }),
    ...(c.logPath && { logPath: c.logPath }),
    resources: { linux: resources },
    user: containerUser(c),
    ...(c.config.stopSignal && { stopSignal: c.config.stopSignal }),
  };
  return c.status;
}

/** More about a sandbox, for `crictl inspectp`. */
export const sandboxInfo = (s: Sandbox): string =>
  JSON.stringify({
    pid: s.alive ? 4000 : 0,
    processStatus: s.alive ? 'running' : 'deleted',
    netNamespaceClosed: s.net === null,
    snapshotKey: s.id,
    snapshotter: 'overlayfs',
    runtimeHandler: s.runtimeHandler,
    runtimeType: 'io.containerd.runc.v2',
    config: s.config,
  });

/** More about a container, for `crictl inspect`. */
export const containerInfo = (c: Container): string =>
  JSON.stringify({
    sandboxID: c.sandbox.id,
    pid: c.state === 'running' ? 4000 + (c.group?.init?.pid ?? 0) : 0,
    removing: c.removing,
    snapshotKey: c.id,
    snapshotter: 'overlayfs',
    runtimeType: 'io.containerd.runc.v2',
    config: c.config,
  });

/** Current limits; huge pages without a limit are left out. */
function shownResources(r: LinuxContainerResources): LinuxContainerResources {
  const { hugepageLimits, ...rest } = r;
  const limits = hugepageLimits?.filter((h) => h.limit !== undefined && h.limit !== '0');
  return { ...rest, ...(limits && limits.length > 0 && { hugepageLimits: limits }) };
}

function containerUser(c: Container): NonNullable<ContainerStatus['user']> {
  const { uid, gid, groups } = c.account;
  const supplementalGroups = groups.toSorted((a, b) => a - b).map(String);
  return {
    linux: { ...(uid !== 0 && { uid: String(uid) }), ...(gid !== 0 && { gid: String(gid) }), supplementalGroups },
  };
}

function labelsMatch(
  labels: Readonly<Record<string, string>> | undefined,
  selector: Readonly<Record<string, string>> | undefined,
): boolean {
  for (const k in selector) if (labels?.[k] !== selector[k]) return false;
  return true;
}

/** Lists with filters; unfiltered ones are kept until something changes. */
export class Lists {
  private sandboxVersion = -1;
  private containerVersion = -1;
  private allSandboxes: PodSandbox[] = [];
  private allContainers: ListedContainer[] = [];
  constructor(private readonly store: Store) {}

  sandboxes(filter: PodSandboxFilter | undefined): PodSandbox[] {
    if (this.sandboxVersion !== this.store.version) {
      this.allSandboxes = [...this.store.sandboxes.values()].map(listedSandbox);
      this.sandboxVersion = this.store.version;
    }
    const { id, state, labelSelector } = filter ?? {};
    if (!id && !state && !labelSelector) return this.allSandboxes;
    const full = id ? this.store.sandbox(id)?.id : undefined;
    if (id && !full) return [];
    const wanted = state && sandboxState(state);
    return this.allSandboxes.filter(
      (s) =>
        (!full || s.id === full) && (!wanted || sandboxState(s) === wanted) && labelsMatch(s.labels, labelSelector),
    );
  }

  containers(filter: ContainerFilter | undefined): ListedContainer[] {
    if (this.containerVersion !== this.store.version) {
      this.allContainers = [...this.store.containers.values()].map(listedContainer);
      this.containerVersion = this.store.version;
    }
    const { id, state, podSandboxId, labelSelector } = filter ?? {};
    if (!id && !state && !podSandboxId && !labelSelector) return this.allContainers;
    const full = id ? this.store.container(id)?.id : undefined;
    const sandbox = podSandboxId ? this.store.sandbox(podSandboxId)?.id : undefined;
    if ((id && !full) || (podSandboxId && !sandbox)) return [];
    const wanted = state && containerState(state);
    return this.allContainers.filter(
      (c) =>
        (!full || c.id === full) &&
        (!sandbox || c.podSandboxId === sandbox) &&
        (!wanted || containerState(c) === wanted) &&
        labelsMatch(c.labels, labelSelector),
    );
  }
}
