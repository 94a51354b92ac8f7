import type { Container, Pod, SeccompProfile } from '../../api/types.js';
import { fnv64a, messageOf, utf8Bytes } from '../../base/index.js';
import {
  type Container as CRIContainer,
  type ContainerStatus as CRIContainerStatus,
  CRIError,
  compareInt64,
  containerState,
  int64,
  type PodSandbox,
  type SecurityProfile,
  type Signal,
} from '../../cri/index.js';
import { sandboxToContainerState } from '../container/helpers.js';
import type { RuntimeContainer, State, Status } from '../container/types.js';
import { getContainerHash } from './labels.js';

/**
 * Orders sandboxes, the newest first: attempt, then creation, then ID (fidelity 2:S-02).
 * upstream: podSandboxByCreatedThenID
 */
export function podSandboxByCreatedThenID(a: PodSandbox, b: PodSandbox): number {
  const x = a.metadata?.attempt ?? 0;
  const y = b.metadata?.attempt ?? 0;
  if (a.metadata && b.metadata && x !== y) return y - x;
  return byCreatedThenID(a, b);
}

/** Orders containers, the newest first. upstream: containerByCreatedThenID */
export function containerByCreatedThenID(a: CRIContainer, b: CRIContainer): number {
  return byCreatedThenID(a, b);
}

function byCreatedThenID(a: { createdAt?: string; id?: string }, b: { createdAt?: string; id?: string }): number {
  const order = compareInt64(b.createdAt, a.createdAt);
  if (order !== 0) return order;
  return (a.id ?? '') < (b.id ?? '') ? -1 : 1;
}

/** Newest first. upstream: containerStatusByCreated */
export const containerStatusByCreated = (a: Status, b: Status): number =>
  a.createdAt === b.createdAt ? 0 : a.createdAt > b.createdAt ? -1 : 1;

/** upstream: toKubeContainerState */
export function toKubeContainerState(c: { state?: CRIContainerStatus['state'] }): State {
  switch (containerState(c)) {
    case 'CONTAINER_CREATED':
      return 'created';
    case 'CONTAINER_RUNNING':
      return 'running';
    case 'CONTAINER_EXITED':
      return 'exited';
    default:
      return 'unknown';
  }
}

/**
 * Returns the kubelet's form of a container; null if the runtime's answer has no ID or no image.
 * upstream: toKubeContainer
 */
export function toKubeContainer(runtimeName: string, c: CRIContainer): RuntimeContainer | null {
  if (!c.id || !c.image) return null;
  return once(runtimeName, c, () => ({
    id: { type: runtimeName, id: c.id ?? '' },
    name: c.metadata?.name ?? '',
    image: c.image?.image ?? '',
    imageID: c.imageId || (c.imageRef ?? ''),
    imageRef: c.imageRef ?? '',
    hash: getContainerHash(c.annotations),
    state: toKubeContainerState(c),
    createdAt: int64(c.createdAt),
    podSandboxID: c.podSandboxId ?? '',
  }));
}

const converted = new WeakMap<object, RuntimeContainer>();

/** A runtime in this program lists the same object again as long as nothing changed: it is converted only once. */
function once(
  runtimeName: string,
  listed: CRIContainer | PodSandbox,
  convert: () => RuntimeContainer,
): RuntimeContainer {
  const known = converted.get(listed);
  if (known?.id.type === runtimeName) return known;
  const result = convert();
  converted.set(listed, result);
  return result;
}

/** A sandbox in the shape of a container, as the PLEG wants it. upstream: sandboxToKubeContainer */
export function sandboxToKubeContainer(runtimeName: string, s: PodSandbox): RuntimeContainer | null {
  const { id } = s;
  if (!id) return null;
  return once(runtimeName, s, () => ({
    id: { type: runtimeName, id },
    name: '',
    image: '',
    imageID: '',
    imageRef: '',
    hash: 0,
    state: sandboxToContainerState(s),
    createdAt: int64(s.createdAt),
    podSandboxID: id,
  }));
}

/** Returns true if a plain init container has failed (fidelity 2:I-05). upstream: isInitContainerFailed */
export function isInitContainerFailed(status: Status): boolean {
  return (
    status.reason === 'OOMKilled' || (status.state === 'exited' && status.exitCode !== 0) || status.state === 'unknown'
  );
}

/**
 * Returns the key of a container's restart back-off: whatever changes it starts the back-off afresh (fidelity 2:B-06).
 * upstream: GetBackoffKey, which hashes the same parts with FNV-1a 64
 */
export function getBackoffKey(pod: Pod, container: Container): string {
  const { name, namespace, uid } = pod.metadata;
  const parts = [
    name,
    namespace,
    uid,
    container.name,
    container.image ?? '',
    JSON.stringify(container.resources ?? {}),
  ];
  return fnv64a(utf8Bytes(parts.join('/'))).toString(16);
}

/** Relative to the sandbox's log directory (fidelity 2:G-06). upstream: buildContainerLogsPath */
export const buildContainerLogsPath = (containerName: string, restartCount: number): string =>
  `${containerName}/${restartCount}.log`;

/** `<podLogsDir>/<namespace>_<name>_<uid>` (fidelity 2:S-09). upstream: BuildPodLogsDirectory */
export const buildPodLogsDirectory = (podLogsDir: string, namespace: string, name: string, uid: string): string =>
  `${podLogsDir}/${namespace}_${name}_${uid}`;

/** upstream: BuildContainerLogsDirectory */
export const buildContainerLogsDirectory = (
  podLogsDir: string,
  namespace: string,
  name: string,
  uid: string,
  container: string,
): string => `${buildPodLogsDirectory(podLogsDir, namespace, name, uid)}/${container}`;

/** The part after the last `_`. upstream: parsePodUIDFromLogsDirectory */
export const parsePodUIDFromLogsDirectory = (name: string): string => name.split('_').at(-1) ?? '';

/** A seccomp profile as the CRI carries it; RuntimeDefault is the zero value. upstream: fieldSeccompProfile */
export function fieldSeccompProfile(
  profile: SeccompProfile | undefined,
  profileRootPath: string,
  fallbackToRuntimeDefault: boolean,
): SecurityProfile {
  if (!profile) return fallbackToRuntimeDefault ? {} : { profileType: 'Unconfined' };
  if (profile.type === 'RuntimeDefault') return {};
  if (profile.type === 'Localhost') {
    if (!profile.localhostProfile) throw new Error('localhostProfile must be set if seccompProfile type is Localhost.');
    return { profileType: 'Localhost', localhostRef: `${profileRootPath}/${profile.localhostProfile}` };
  }
  return { profileType: 'Unconfined' };
}

/** `SIGRTMIN+1` as the CRI names it. upstream: signalNameToRuntimeEnum */
export const toRuntimeSignal = (signal: string): Signal =>
  `SIGNAL_${signal.replace('+', 'PLUS').replace('-', 'MINUS')}` as Signal;

/** The way back; undefined if the runtime names none. upstream: runtimeSignalToString */
export const fromRuntimeSignal = (signal: Signal | undefined): string | undefined =>
  !signal || signal === 'SIGNAL_RUNTIME_DEFAULT'
    ? undefined
    : signal.replace('SIGNAL_', '').replace('PLUS', '+').replace('MINUS', '-');

/** Returns an error's text without gRPC's wrapping (fidelity 2:T-14). upstream: grpcstatus.FromError(err).Message() */
export const statusMessage = (err: unknown): string => (err instanceof CRIError ? err.details : messageOf(err));

/**
 * An object without the fields that are at their zero value, which protobuf's JSON leaves out. Objects stay, empty or
 * not.
 */
export function withoutZeros<T extends object>(message: T): T {
  const zero = (v: unknown) =>
    v === undefined ||
    v === null ||
    v === '' ||
    v === 0 ||
    v === false ||
    v === '0' ||
    (Array.isArray(v) && v.length === 0);
  return Object.fromEntries(Object.entries(message).filter(([, v]) => !zero(v))) as T;
}
