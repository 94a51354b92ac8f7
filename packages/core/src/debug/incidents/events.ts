/** The incident that each event of the kubelet is a sign of, by its reason. */
import type { RecordOf } from '../../trace/index.js';
import { classifyOfPod, GIVEN_UP } from './errors.js';
import type { IncidentKind } from './kinds.js';
import { healed, type Sign } from './sign.js';

type Event = RecordOf<'kube-event'>;
type Rule = IncidentKind | ((message: string) => (Partial<Sign> & { readonly kind: IncidentKind }) | null);

const byError = (fallback: IncidentKind) => (message: string) => {
  const found = classifyOfPod(message);
  return found ? { kind: found.kind, ...(found.reason && { facts: { reason: found.reason } }) } : { kind: fallback };
};
const pressure = (resource: string) => () => ({ kind: 'pressure' as const, part: resource });
/** Reasons of a refused admission: OutOfcpu, OutOfmemory and so on have a prefix of their own. */
const ADMISSION =
  /^(UnexpectedAdmissionError|NodeAffinity|NodePorts|NodeName|NodeUnschedulable|AdmissionError|TopologyAffinityError|HostPortConflict|PodOSSelectorNodeLabelDoesNotMatch|InvalidNodeInfo|AppArmor|SysctlForbidden|Forbidden|OutOf\w+|NodeHasNoSufficient\w+|UnsupportedPodLevelResources)$/;

const reasons: { readonly [reason: string]: Rule } = {
  BackOff: (m) => ({ kind: /pulling image/i.test(m) ? 'image' : 'crash-loop' }),
  Failed: byError('sync-failed'),
  FailedSync: byError('sync-failed'),
  InspectFailed: 'image',
  ErrImageNeverPull: 'image',
  Unhealthy: (m) => {
    if (GIVEN_UP.test(m)) return null;
    const [, probe = ''] = /^(Liveness|Readiness|Startup) probe/.exec(m) ?? [];
    const kind = ({ Liveness: 'probe-liveness', Readiness: 'probe-readiness', Startup: 'probe-startup' } as const)[
      probe
    ];
    return { kind: kind ?? 'probe' };
  },
  FailedMount: byError('volume-mount'),
  FailedMapVolume: byError('volume-mount'),
  FailedAttachVolume: 'volume-attach',
  VolumeResizeFailed: 'volume-mount',
  FileSystemResizeFailed: 'volume-mount',
  FailedCreatePodSandBox: byError('sandbox'),
  FailedCreatePodContainer: byError('container-create'),
  FailedPodSandBoxStatus: byError('sandbox'),
  SandboxChanged: 'sandbox-died',
  FailedKillPod: byError('kill-failed'),
  FailedPostStartHook: () => ({ kind: 'hook', facts: { hook: 'postStart' } }),
  FailedPreStopHook: () => ({ kind: 'hook', facts: { hook: 'preStop' } }),
  NetworkNotReady: 'network-not-ready',
  Evicted: 'eviction',
  Preempting: 'eviction',
  DeadlineExceeded: 'deadline',
  NodeShutdown: 'shutdown',
  OOMKilling: 'oom',
  SystemOOM: 'system-oom',
  ContainerGCFailed: 'gc',
  ImageGCFailed: 'image-gc',
  FreeDiskSpaceFailed: 'image-gc',
  EvictionThresholdMet: (m) => ({ kind: 'pressure', part: /reclaim (\S+)/.exec(m)?.[1] ?? '' }),
  NodeNotReady: 'node-not-ready',
  NodeHasInsufficientMemory: pressure('memory'),
  NodeHasDiskPressure: pressure('ephemeral-storage'),
  NodeHasInsufficientPID: pressure('pids'),
  KubeletSetupFailed: 'kubelet-not-starting',
  FailedNodeAllocatableEnforcement: 'resources',
  Rebooted: 'kubelet-restarted',
};
/** Reasons that end what others began. */
const heals: { readonly [reason: string]: readonly Sign[] } = {
  NodeReady: [
    healed('node-not-ready'),
    healed('node-not-registered'),
    healed('network-not-ready'),
    healed('pleg-unhealthy'),
    healed('runtime-down'),
  ],
  NodeHasSufficientMemory: [healed('pressure', { part: 'memory' })],
  NodeHasNoDiskPressure: [healed('pressure', { part: 'ephemeral-storage' }), healed('pressure', { part: 'inodes' })],
  NodeHasSufficientPID: [healed('pressure', { part: 'pids' })],
  SuccessfulAttachVolume: [healed('volume-attach')],
};

/** Returns what an event is a sign of; of those that report what is meant to happen: nothing. */
export function signsOfEvent(r: Event): readonly Sign[] {
  const { object, reason, message } = r;
  const about: Partial<Sign> =
    object.kind === 'Pod'
      ? {
          pod: `${object.namespace}/${object.name}`,
          uid: object.uid,
          container: /\{(.+)\}/.exec(object.fieldPath)?.[1] ?? '',
        }
      : {};
  const ends = Object.hasOwn(heals, reason) ? heals[reason] : undefined;
  if (ends) return ends.map((sign) => ({ ...about, ...sign }));
  if (ADMISSION.test(reason)) return [{ ...about, kind: 'admission', what: message, facts: { reason } }];
  const rule = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  if (rule === undefined) return [];
  const own = typeof rule === 'function' ? rule(message) : { kind: rule };
  return own === null ? [] : [{ ...about, what: message, ...own, facts: { source: 'event', ...own.facts } }];
}
