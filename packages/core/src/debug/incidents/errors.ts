/** The kinds of errors, by their texts: those of the kubelet, of container runtimes, of CNI plug-ins, of client-go. */
import { remembered } from '../../base/index.js';
import { STARTING } from '../findings/rules.js';
import type { IncidentKind } from './kinds.js';

export interface ErrorClass {
  readonly kind: IncidentKind;
  /** The fact that tells apart errors of one kind. */
  readonly reason?: string;
}

const row = (kind: IncidentKind, expression: RegExp, reason?: string) => ({
  kind,
  expression,
  ...(reason && { reason }),
});

/** The first that fits counts: causes stand before what is said because of them. */
const rows = [
  row('api-unreachable', /Client\.Timeout exceeded|net\/http: (request canceled|TLS handshake timeout)/i),
  row(
    'sources',
    /Could not process manifest|Can't process manifest file|Unable to read (?:manifest|config) path|invalid pod: |can't process config file|couldn't parse as pod|could not read pod manifest/i,
  ),
  // Cgroups and watches of files have limits of their own, which the kernel words in the same way.
  row(
    'disk-full',
    /^(?![\s\S]*(?:\/sys\/fs\/cgroup|inotify|fsnotify|\[kubepods))[\s\S]*(?:no space left on device|disk quota exceeded)/i,
  ),
  row('disk-full', /\/var\/(?:lib|log)\/(?![^\s:]*\/volumes\/)[^\s:]*: read-only file system/i),
  row('certificate-invalid', /certificate request was not signed|cannot create certificate signing request/i),
  row(
    'runtime-down',
    /connect: connection refused.*\.sock|\.sock:? connect: (connection refused|no such file)|dial unix [^ ]+(containerd|crio|docker|cri-dockerd|dockershim|frakti)[^ ]*|Cannot connect to the Docker daemon|error reading server preface|code = Unavailable desc = (connection error|transport is closing|error reading from server)|container runtime is down|failed to connect to containerd|the docker daemon is not running/i,
  ),
  row(
    'clock-jumped',
    /certificate is not yet valid|not yet valid: current time \S+ is before|token used before issued/i,
  ),
  row(
    'certificate-invalid',
    /x509: (?!certificate signed by unknown authority.*(registry|docker\.io|gcr|quay|ghcr)).*|certificate (has|is) expired|tls: (bad certificate|expired certificate|certificate required|unknown certificate)|client certificate is expired/i,
  ),
  row(
    'name-reserved',
    /is reserved for|name "?[^ ]+"? is reserved|The container name .* is already in use|name is already in use/i,
  ),
  row(
    'network-teardown',
    /TeardownNetworkError|failed to (destroy|teardown|tear down) (pod )?(network|.* network)|failed to teardown pod|failed to tear down pod|plugin type="?[^ ]*"? .*failed \(delete\)|error tearing down network|Error deleting (pod|network)/i,
  ),
  row(
    'network-not-ready',
    /network is not ready|Kubenet does not have netConfig|cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady|NetworkReady=false|no networks found in|no valid networks found|network plugin is not ready/i,
  ),
  row(
    'network-setup',
    /SetupNetworkError|failed to set ?up (pod|network|sandbox)|failed to setup network for sandbox|failed to set up pod|failed to set up sandbox container|plugin type="?[^ ]*"? .*failed \(add\)|failed to find plugin "|failed to allocate for range|no IP addresses available|error adding (pod|container) .* to (CNI )?network|Error adding network|unable to allocate IP/i,
  ),
  row(
    'config-missing',
    /(configmaps?|secrets?) "[^"]*" not found|couldn't find key .* in (ConfigMap|Secret)|references non-existent (secret|config) key/i,
  ),
  row('container-create', /container has runAsNonRoot|CreateContainerConfigError/i, 'config'),
  row(
    'volume-attach',
    /has not been added to the list of VolumesInUse|volume (is )?not (yet )?attached|timeout expired waiting for volumes to attach|Multi-Attach error|AttachVolume|volume attachment is being deleted|timed out waiting for external-attacher|GetDeviceMountRefs check failed|MapVolume\.WaitForAttach|WaitForAttach failed|could not find attached|cannot find (lun|disk) for|failed to attach (disk|volume)|attach(ment)? timeout|attached to another/i,
  ),
  row(
    'volume-release',
    /UnmountVolume|UnmountDevice|NewUnmounter|TearDown failed|device or resource busy|DetachVolume|target is busy|umount: [^:]+: not mounted/i,
  ),
  row(
    'volume-mount',
    /unmounted volumes=|unattached volumes=|failed to attach or mount volumes|MountVolume|MountDevice|(?<!un)mount failed|failed to sync (configmap|secret) cache|SetUp failed|wrong fs type|mount\.nfs|error mounting "[^"]*\/volumes?\b/i,
  ),
  row(
    'image',
    /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ErrImageInspect|ImageInspectError|RegistryUnavailable|SignatureValidationFailed|failed to pull (and unpack )?image|pull access denied|manifest unknown|manifest for .* not found|toomanyrequests|Back-off pulling image|failed to resolve reference|error pulling image|unable to pull image|repository .* not found|couldn't parse image|no such image|no registries configured|did not resolve to an alias|unable to inspect (docker )?image/i,
  ),
  row('crash-loop', /CrashLoopBackOff|Back-off \S+ restarting failed container|back-off restarting failed container/i),
  row(
    'hook',
    /PostStartHookError|PreStopHookError|FailedPostStartHook|FailedPreStopHook|PostStart ?hook|PreStop ?hook/i,
  ),
  row('runtime-slow', /code = DeadlineExceeded|operation timeout|request timed out|: context deadline exceeded/i),
  row(
    'kill-failed',
    /KillPodSandbox|KillContainerError|failed to "?KillContainer|failed to kill pod|failed to stop (sandbox|container)|error killing pod/i,
  ),
  row('sandbox', /CreatePodSandbox|create (pod )?sandbox|RunPodSandbox|failed to start sandbox/i),
  row(
    'container-start',
    /executable file not found|exec: "[^"]*": (stat|permission denied|is a directory)|exec format error|StartError|exec user process caused/i,
    'command',
  ),
  row(
    'container-start',
    /(mounting|mount) "[^"]*" to rootfs|not a directory.*mount|invalid mount|bind source path does not exist|failed to create subPath|error mounting/i,
    'mount',
  ),
  row('container-start', /cgroup|memory\.limit_in_bytes|cpu\.(cfs|max)/i, 'cgroup'),
  row(
    'container-start',
    /error gathering device information|nvidia-container-cli|CDI device|failed to inject CDI/i,
    'device',
  ),
  row(
    'container-start',
    /RunContainerError|failed to start container|ContainerCannotRun|OCI runtime create failed|runc create failed|failed to create (containerd task|shim)|shim task/i,
  ),
  row(
    'container-create',
    /CreateContainerError|failed to (create|generate|reserve) container|PreCreateHookError|PreStartHookError/i,
  ),
  row('node-not-registered', /nodes? \\?"[^"]*" not found/),
  row(
    'api-refused',
    /Unauthorized|is forbidden: |admission webhook "[^"]*" denied the request|Server rejected event|forbidden: User|the server has asked for the client to provide credentials|cannot (get|list|watch|create|update|patch|delete) resource|not allowed to modify node/i,
  ),
  row(
    'api-unreachable',
    /dial tcp .*(connection refused|no route to host|i\/o timeout|network is unreachable|no such host|connect: )|no such host|TLS handshake timeout|connection reset by peer|http2: client connection lost|update node status exceeds retry count|net\/http: request canceled|unexpected EOF|: EOF$|the server was unable to return a response|server is currently unable|etcdserver: (request timed out|leader changed|no leader)|server misbehaving|connect: connection refused/i,
  ),
] as const;

/** Returns the kind of an error by its text; null if no rule knows it. */
export const classify = remembered((text): ErrorClass | null => {
  if (isOfStart(text)) return { kind: 'starting' };
  for (const { kind, expression, ...rest } of rows)
    if (expression.test(text)) return { kind, ...('reason' in rest && { reason: rest.reason as string }) };
  return null;
});

/** An error of a registry is that of its image, although it looks like one of a network or of rights. */
const ABOUT_IMAGE = /ErrImagePull|ImagePullBackOff|pull image|pulling image|resolve reference|registry|\/v2\//i;
const ABOUT_VOLUME = /volumes?=|MountVolume|AttachVolume|UnmountVolume|UnmountDevice|NewUnmounter|VolumesInUse/;
const ABOUT_SANDBOX = /sandbox/i;
const STOPS = /KillContainer|KillPodSandbox|StopContainer|StopPodSandbox/;

/** The same of an error of a pod, in which more specific words count more. */
export function classifyOfPod(text: string): ErrorClass | null {
  const found = classify(text);
  if (!found) return null;
  const { kind } = found;
  if (kind === 'disk-full' || kind === 'runtime-down') return found;
  if (ABOUT_VOLUME.test(text) && (kind === 'runtime-slow' || kind.startsWith('api-') || kind === 'certificate-invalid'))
    return { kind: 'volume-mount' };
  if (ABOUT_IMAGE.test(text) && !/CreateContainer|RunContainer|CreatePodSandbox/.test(text)) return { kind: 'image' };
  // A container that cannot be stopped in time is not a sign of a slow runtime: other calls are.
  if (kind === 'runtime-slow' && STOPS.test(text)) return { kind: 'kill-failed' };
  // A plug-in that cannot reach the API server fails to set up a network: the kubelet reaches it all the same.
  if (
    ABOUT_SANDBOX.test(text) &&
    (kind.startsWith('api-') || kind === 'certificate-invalid' || kind === 'container-start')
  )
    return { kind: /KillPodSandbox/.test(text) ? 'network-teardown' : 'sandbox' };
  return found;
}

/** Errors of pods and of the node that a kubelet has only while it starts, besides those of its runtime state. */
const NOT_YET = /node status never updated|object \\?"[^"]+"\/\\?"[^"]+" not registered/;
/** True for a message that each kubelet logs while it starts. */
export const isOfStart = (text: string): boolean => STARTING.test(text) || NOT_YET.test(text);

/** Errors of work that was given up, not of what it worked on. */
export const GIVEN_UP =
  /context canceled$|is pending termination|has been terminated|CONTAINER_EXITED|no running task found|container (is )?not running/;

/** Errors that a healthy kubelet logs. */
const HARMLESS =
  /RemoveStaleState|DeleteContainer returned error|ContainerStatus from runtime service failed.*NotFound|code = NotFound|Failed to get status for pod.*not found|Image garbage collection failed once|invalid capacity 0 on image filesystem|not found in pod's containers|unable to find (data|any stats)|Unable to fetch (container log|pod log) stats|Failed to get system container stats|failed to construct signal|Failed to update stats for container|Partial failure issuing cadvisor|CPUAccounting not enabled|MemoryAccounting not enabled|Could not get instant cpu stats|Failed to create existing container|no imagefs label|failed to get (device for dir|rootfs info|imageFs)|DNS nameserver limits|Nameserver limits exceeded|could not find the requested device|Skipping pod synchronization.*starting|no healthy endpoints|summary_sys_containers|Failed to load credential|loopback address|get the info of the filesystem with mountpoint|HasDedicatedImageFs|failed to check if node is newer|Failed to set rlimit|Could not open resolv conf|Failed to read data from checkpoint|because node is not registered yet|oom score: failed to find pid namespace|PLEG: Write status|housekeeping took|OOM events will not be reported|Missing actuated|owner ref to the node lease|Failed to initialize CSINode|mirror pod.*already exists|Registration of the \S+ container factory failed|Factory "\S+" was unable|reconcileState|Error proxying data|execInContainer|AWS credentials|Unhandled Error: (init )?container \S+ start failed in pod/i;
/** True for an error that shows no trouble: work was given up, or any healthy kubelet logs it. */
export const isHarmless = remembered((text) => HARMLESS.test(text) || GIVEN_UP.test(text));
