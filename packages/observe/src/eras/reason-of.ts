/** Finds the change that a difference belongs to. */
import { type EraVersion, eraVersions } from '@syncloop/core/kubelet/era/versions';
import type { Micros } from '@syncloop/core/trace';
import type { Decision, Difference } from '../twin/base/types.js';
import { RESYNC } from '../twin/compare/rules.js';
import { reasonBetween } from './reasons.js';
import type { DifferenceKind, EraReason } from './types.js';

/**
 * A rule recognises a change by the subject of a difference; the first that fits, among those between the versions,
 * counts.
 */
interface Rule {
  readonly change: string;
  readonly kinds: readonly DifferenceKind[];
  readonly path?: RegExp;
  readonly what?: RegExp;
  readonly how?: readonly Difference['how'][];
  /** Either value has this in it. */
  readonly values?: RegExp;
  /** It is about a container that ran before. */
  readonly again?: true;
  /** Only the older version did it, and it had done the same before. */
  readonly twice?: true;
  /** Both did it, at most this far apart. */
  readonly within?: Micros;
}

const rules: readonly Rule[] = [
  { change: 'sandbox-resources', kinds: ['request'], path: /^config\.linux\.(resources|overhead)/ },
  { change: 'user-namespaces', kinds: ['request'], path: /usernsOptions/ },
  { change: 'masked-paths', kinds: ['request'], path: /\.(maskedPaths|readonlyPaths)/ },
  { change: 'image-name', kinds: ['request'], path: /^config\.image/ },
  { change: 'sandbox-ready-first', kinds: ['condition', 'status'], path: /PodReadyToStartContainers/ },
  { change: 'ready-to-start', kinds: ['condition', 'status'], path: /PodReadyToStartContainers/ },
  { change: 'disruption-target', kinds: ['condition', 'status'], path: /DisruptionTarget/ },
  {
    change: 'pod-failed-reason',
    kinds: ['condition', 'status'],
    path: /^conditions\.(Containers)?Ready$/,
    what: /Failed/,
  },
  { change: 'sidecars', kinds: ['status'], path: /^conditions\./, values: /NotInitialized|with unknown status/ },
  {
    change: 'terminal-kept',
    kinds: ['status', 'condition'],
    path: /^(conditions|reason|message)/,
    what: /^(Failed|Succeeded)$/,
  },
  { change: 'grace-floor', kinds: ['kill', 'call'], path: /^(gracePeriod|timeout)$/, values: /:[01][,}]/ },
  { change: 'resize', kinds: ['event'], what: /^Resize/ },
  { change: 'resize', kinds: ['call'], what: /^UpdateContainerResources$/ },
  { change: 'worker-owns-life', kinds: ['sync'], what: /^terminat/ },
  {
    change: 'second-kill',
    kinds: ['call', 'kill'],
    what: /^(StopContainer|StopPodSandbox|ExecSync|killContainer)$/,
    twice: true,
  },
  { change: 'last-status', kinds: ['status'], what: /^(Failed|Succeeded)$/, how: ['missing', 'extra'] },
  { change: 'terminal-phase', kinds: ['status'], what: /^(Failed|Succeeded)$/, how: ['missing', 'extra'] },
  // A sync that waited for a back-off came up to a jittered 10 s late.
  { change: 'back-off-expiry', kinds: ['call', 'restart', 'sync'], how: ['time'], again: true, within: RESYNC },
  { change: 'sandbox-ready-first', kinds: ['status'], how: ['missing', 'extra'], what: /^Pending$/ },
  { change: 'relist-on-demand', kinds: ['pleg'], how: ['missing', 'extra', 'time'] },
];

/** Changes by the names that show them in a run: channels of the loop, and functions. */
const inside: readonly { readonly change: string; readonly kind: DifferenceKind; readonly name: RegExp }[] = [
  { change: 'probe-channels', kind: 'loop', name: /^(readiness|startup)Manager$/ },
  { change: 'container-manager-channel', kind: 'loop', name: /^containerManager/ },
  { change: 'worker-owns-life', kind: 'function', name: /^SyncTerminat/ },
  { change: 'pod-killer', kind: 'function', name: /^podKiller/ },
  { change: 'known-pods', kind: 'function', name: /^(SyncKnownPods|ForgetNonExisting)/ },
  { change: 'dispatch-gone', kind: 'function', name: /^(dispatchWork|SyncTerminatingRuntimePod)$/ },
  { change: 'kill-marks', kind: 'function', name: /^podKiller/ },
  { change: 'relist-on-demand', kind: 'function', name: /^relistPod$/ },
  { change: 'resize', kind: 'function', name: /[rR]esize/ },
];

export const changeIds: readonly string[] = [...rules, ...inside].map(({ change }) => change);

export class Reasons {
  constructor(private readonly eras: readonly [EraVersion, EraVersion]) {}

  /** The reason of a difference between decisions; null if no rule matches. `again`: that run had done it before. */
  of(kind: DifferenceKind, { how, path = '', seen, twin, values }: Difference, again: boolean): EraReason | null {
    const { what, attempt = 0 } = (seen ?? twin) as Decision;
    const apart = seen && twin ? Math.abs(seen.time - twin.time) : Number.POSITIVE_INFINITY;
    const said = JSON.stringify(values ?? '');
    const [one, other] = this.eras;
    const alone = how === 'missing' ? one : how === 'extra' ? other : null;
    const older = eraVersions.indexOf(one) < eraVersions.indexOf(other) ? one : other;
    for (const rule of rules) {
      if (!rule.kinds.includes(kind) || (rule.how && !rule.how.includes(how))) continue;
      if (rule.path && !rule.path.test(path)) continue;
      if (rule.what && !rule.what.test(what)) continue;
      if ((rule.values && !rule.values.test(said)) || (rule.again && attempt < 1)) continue;
      if (rule.twice && !(again && alone === older)) continue;
      if (rule.within !== undefined && apart > rule.within) continue;
      const reason = reasonBetween(rule.change, this.eras);
      if (reason) return reason;
    }
    return null;
  }

  /** The reason why only one of the runs has these names: channels of the loop, or functions. Null if none matches. */
  ofNames(kind: 'loop' | 'function', names: readonly string[]): EraReason | null {
    for (const rule of inside) {
      if (rule.kind !== kind || !names.some((name) => rule.name.test(name))) continue;
      const reason = reasonBetween(rule.change, this.eras);
      if (reason) return reason;
    }
    return null;
  }
}
