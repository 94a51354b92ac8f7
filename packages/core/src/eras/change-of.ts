/** Which change of design a difference belongs to. */
import type { EraVersion } from '../kubelet/era/types.js';
import type { Decision, Difference } from '../twin/base/types.js';
import { changesBetween, type EraChange, type EraChangeId } from './changes.js';
import type { DifferenceKind } from './types.js';

/** A rule tells a change by what a difference is about; the first that fits, among those between the versions, counts. */
interface Rule {
  readonly change: EraChangeId;
  readonly kinds: readonly DifferenceKind[];
  readonly path?: RegExp;
  readonly what?: RegExp;
  readonly how?: readonly Difference['how'][];
}

const rules: readonly Rule[] = [
  { change: 'sandbox-resources', kinds: ['request'], path: /^config\.linux\.(resources|overhead)/ },
  { change: 'user-namespaces', kinds: ['request'], path: /usernsOptions/ },
  { change: 'masked-paths', kinds: ['request'], path: /\.(maskedPaths|readonlyPaths)/ },
  { change: 'image-name', kinds: ['request'], path: /^config\.image/ },
  { change: 'sandbox-ready-first', kinds: ['condition', 'status'], path: /PodReadyToStartContainers/ },
  { change: 'sandbox-condition', kinds: ['condition', 'status'], path: /PodReadyToStartContainers/ },
  { change: 'disruption-target', kinds: ['condition', 'status'], path: /DisruptionTarget/ },
  {
    change: 'pod-failed-reason',
    kinds: ['condition', 'status'],
    path: /^conditions\.(Containers)?Ready$/,
    what: /Failed/,
  },
  { change: 'terminal-status-kept', kinds: ['status', 'condition'], path: /^(conditions|reason|message|phase)/ },
  { change: 'grace-floor', kinds: ['kill', 'call'], path: /^(gracePeriod|timeout)$/ },
  { change: 'resize', kinds: ['event'], what: /^Resize/ },
  { change: 'resize', kinds: ['call'], what: /^UpdateContainerResources$/ },
  { change: 'worker-owns-life', kinds: ['sync'], what: /^terminat/ },
  { change: 'final-status', kinds: ['status'], what: /^(Failed|Succeeded)$/, how: ['missing', 'extra'] },
  { change: 'backoff-expiry', kinds: ['restart', 'sync'], how: ['time'], what: /^(CrashLoopBackOff|restart|sync)$/ },
  { change: 'relist-on-demand', kinds: ['pleg', 'status'], how: ['missing', 'extra', 'time'] },
  { change: 'relist-on-demand', kinds: ['sync', 'call', 'restart'], how: ['time'] },
];

/** What two runs have in their loops, and which of their functions are called. */
const inside: readonly { readonly change: EraChangeId; readonly kind: DifferenceKind; readonly name: RegExp }[] = [
  { change: 'probes-in-loop', kind: 'loop', name: /^(readiness|startup)Manager$/ },
  { change: 'device-health', kind: 'loop', name: /^containerManager/ },
  { change: 'worker-owns-life', kind: 'function', name: /^(SyncTerminat|SyncKnownPods|podKiller|ForgetNonExisting)/ },
  { change: 'pending-update', kind: 'function', name: /^(dispatchWork|SyncTerminatingRuntimePod)$/ },
  { change: 'marked-killer', kind: 'function', name: /^podKiller/ },
  { change: 'relist-on-demand', kind: 'function', name: /^relistPod$/ },
  { change: 'resize', kind: 'function', name: /[rR]esize/ },
];

export class Changes {
  private readonly between: readonly EraChange[];
  constructor([one, other]: readonly [EraVersion, EraVersion]) {
    this.between = changesBetween(one, other);
  }
  private find(id: EraChangeId): EraChange | undefined {
    return this.between.find((change) => change.id === id);
  }

  /** Of a difference between decisions; null where no rule knows it. */
  of(kind: DifferenceKind, { how, path = '', seen, twin }: Difference): EraChange | null {
    const { what } = (seen ?? twin) as Decision;
    for (const rule of rules) {
      if (!rule.kinds.includes(kind) || (rule.how && !rule.how.includes(how))) continue;
      if (rule.path && !rule.path.test(path)) continue;
      if (rule.what && !rule.what.test(what)) continue;
      const change = this.find(rule.change);
      if (change) return change;
    }
    return null;
  }

  /** Of names that only one of the runs has: channels of the loop, functions. */
  ofNames(kind: 'loop' | 'function', names: readonly string[]): EraChange | null {
    for (const rule of inside) {
      if (rule.kind !== kind || !names.some((name) => rule.name.test(name))) continue;
      const change = this.find(rule.change);
      if (change) return change;
    }
    return null;
  }
}
