/** The trouble that the kubelet's own events report, by their reasons. */
import type { Json, SymptomCode } from '@syncloop/core/trace';
import { causeOf, type Family } from '../catalogue/causes.js';
import { podName } from '../identity.js';
import { text } from './fields.js';
import { NODE_EVENTS } from './node.js';

/** The trouble that a line reports, before it is a record. */
export interface Trouble {
  readonly code: SymptomCode;
  readonly healed?: boolean;
  readonly pod?: string;
  readonly uid?: string;
  /** The pod's name without its namespace, if a line has no more. */
  readonly name?: string;
  readonly container?: string;
  readonly facts: { readonly [name: string]: Json };
}

/** Null: only what the message names. */
const REASONS: {
  readonly [reason: string]: readonly [
    code: SymptomCode | null,
    family?: Family,
    facts?: { readonly [name: string]: Json },
  ];
} = {
  Unhealthy: ['probe-failed'],
  ProbeWarning: ['probe-failed', 'runtime', { result: 'warning' }],
  Failed: [null],
  FailedCreate: [null],
  BackOff: ['crash-loop'],
  FailedMount: ['volume-not-mounted', 'volume'],
  FailedAttachVolume: ['volume-not-attached', 'volume'],
  FailedMapVolume: ['volume-not-mounted', 'volume'],
  FailedUnMount: ['volume-not-released', 'volume'],
  FailedUnmount: ['volume-not-released', 'volume'],
  FailedCreatePodSandBox: ['sandbox-failed'],
  FailedPodSandBoxStatus: ['sandbox-failed'],
  SandboxChanged: ['sandbox-changed'],
  FailedKillPod: ['kill-failed'],
  FailedCreatePodContainer: ['resources-failed'],
  NetworkNotReady: ['network-not-ready'],
  FailedSync: [null],
  FailedPostStartHook: ['hook-failed', 'runtime', { hook: 'postStart' }],
  FailedPreStopHook: ['hook-failed', 'runtime', { hook: 'preStop' }],
  Evicted: ['evicted'],
  EvictionThresholdMet: ['pressure'],
  ImageGCFailed: ['image-gc-failed'],
  FreeDiskSpaceFailed: ['image-gc-failed'],
  ContainerGCFailed: ['gc-failed'],
  SystemOOM: ['oom-kill'],
  DeadlineExceeded: ['deadline-exceeded'],
  KubeletSetupFailed: ['kubelet-cannot-start', 'start'],
  ErrImageNeverPull: ['image-pull-failed', 'runtime', { reason: 'ErrImageNeverPull' }],
  InspectFailed: ['image-pull-failed', 'runtime', { reason: 'ImageInspectError' }],
  Preempting: ['admission-refused'],
  NodeAffinity: ['admission-refused'],
  UnexpectedAdmissionError: ['admission-refused'],
  NodeShutdown: ['admission-refused'],
  AppArmor: ['admission-refused'],
  SysctlForbidden: ['admission-refused'],
  HostPortConflict: ['admission-refused'],
};
const OUT_OF = /^OutOf\w+$/;

export function eventTrouble(fields: { readonly [key: string]: Json }): Trouble | null {
  const reason = text(fields.reason);
  const message = text(fields.message);
  const whole = podName(fields.object);
  const kind = text(fields.kind);
  const pod = kind !== 'Pod' ? '' : whole || `${text(fields.namespace)}/${text(fields.name)}`;
  const container = /\{([^}]+)\}/.exec(text(fields.fieldPath))?.[1];
  const about = {
    ...(pod && { pod }),
    ...(text(fields.uid) && kind === 'Pod' && { uid: text(fields.uid) }),
    ...(container && { container }),
  };
  if (kind === 'Node') {
    const condition = NODE_EVENTS[reason];
    const node = text(fields.name) || whole;
    if (condition) {
      const { type, status } = condition;
      const ready = type === 'Ready';
      return {
        code: ready ? 'node-not-ready' : 'pressure',
        healed: ready === (status === 'True'),
        facts: { source: 'event', node, reason, message, ...(!ready && { condition: type }) },
      };
    }
  }
  const [code, family = 'runtime', more] = OUT_OF.test(reason)
    ? (['admission-refused'] as const)
    : (REASONS[reason] ?? []);
  if (code === undefined) return null;
  const found =
    code === null || code === 'sandbox-failed' || code === 'kill-failed' || family === 'volume'
      ? causeOf(message, family)
      : null;
  const own = {
    source: 'event',
    reason,
    message,
    ...(text(more?.reason) && { reason: text(more?.reason) }),
    ...more,
    ...found?.facts,
  };
  if (reason === 'Unhealthy') {
    const [, probe = '', failed, output = ''] =
      /^(\w+) probe (failed|errored|warning)(?:: ?)?([\s\S]*)/.exec(message) ?? [];
    const result = failed === 'failed' ? 'failure' : failed === 'errored' ? 'unknown' : 'warning';
    return {
      code: 'probe-failed',
      ...about,
      facts: { ...own, ...(probe && { probe: probe.toLowerCase() }), result, output },
    };
  }
  if (reason === 'BackOff' && /pulling image/.test(message)) {
    const image = /image "([^"]+)"/.exec(message)?.[1];
    return {
      code: 'image-pull-failed',
      ...about,
      facts: { ...own, reason: 'ImagePullBackOff', ...(image && { image }) },
    };
  }
  if (reason === 'Failed') return failed(message, own, about);
  const is = found?.code ?? code;
  return is === null
    ? null
    : { code: is, ...about, ...(found?.container && { container: found.container }), facts: own };
}

/** "Failed" is said of images, of creating and of starting a container. */
function failed(message: string, facts: Trouble['facts'], about: Omit<Trouble, 'code' | 'facts'>): Trouble | null {
  const said = /^Error: (ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ImageInspectError)/.exec(
    message,
  )?.[1];
  if (said || /^Failed to (?:pull|inspect|apply default image tag to) image|^Error:? .*image/.test(message)) {
    const image = /image "([^"]+)"/.exec(message)?.[1];
    return {
      code: 'image-pull-failed',
      ...about,
      facts: { ...facts, reason: said ?? 'ErrImagePull', ...(image && { image }) },
    };
  }
  const inner = causeOf(message, 'runtime');
  const starts = /^Error: failed to (?:start|create containerd task|generate)|^Failed to start|runc|OCI runtime/.test(
    message,
  );
  return { code: inner?.code ?? (starts ? 'container-start-failed' : 'container-create-failed'), ...about, facts };
}
