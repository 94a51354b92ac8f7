/** The result of computePodActions as rows of a table. */
import type { Json } from '@syncloop/core/trace';
import { fields, list, textOf } from '../../../../units/text.js';

export interface ActionPart {
  readonly kind: 'create' | 'killPod' | 'start' | 'init' | 'kill';
  readonly names: string;
}
export interface PlannedKill {
  readonly name: string;
  /** The reason in the kubelet's own event and log. */
  readonly reason: string;
}
export interface PodPlan {
  /** `replace`: the one there is goes, a new one comes. `none`: there is none and none is wanted. */
  readonly sandbox: 'keep' | 'create' | 'replace' | 'kill' | 'none';
  readonly attempt: number;
  readonly kill: readonly PlannedKill[];
  readonly init: readonly string[];
  readonly start: readonly string[];
  readonly ephemeral: readonly string[];
  readonly resize: readonly string[];
}

const nameOf = (x: Json): string => textOf(x) || textOf(fields(x)?.name);
const names = (v: Json | undefined): string[] => list(v).map(nameOf).filter(Boolean);

/** Null before its first time. */
export function planOf(actions: Json): PodPlan | null {
  const f = fields(actions);
  if (!f) return null;
  const exists = textOf(f.sandboxID) !== '';
  const update = fields(f.containersToUpdate);
  return {
    // A first start has killPod, too, with nothing to kill.
    sandbox:
      f.createSandbox === true
        ? exists && f.killPod === true
          ? 'replace'
          : 'create'
        : f.killPod === true
          ? 'kill'
          : exists
            ? 'keep'
            : 'none',
    attempt: typeof f.attempt === 'number' ? f.attempt : 0,
    kill: [
      ...list(f.containersToKill).map((x) => ({
        name: nameOf(x),
        reason: textOf(fields(x)?.message) || textOf(fields(x)?.reason),
      })),
      ...list(f.containersToReset).map((x) => ({ name: nameOf(x), reason: 'RestartAllContainers' })),
    ],
    init: names(f.initContainersToStart),
    start: names(f.containersToStart),
    ephemeral: names(f.ephemeralContainersToStart),
    resize: [...new Set([...names(update?.cpu), ...names(update?.memory)])],
  };
}

/** The same in at most a few words; null before its first time. */
export function actionParts(actions: Json): ActionPart[] | null {
  const plan = planOf(actions);
  if (!plan) return null;
  const parts: ActionPart[] = [];
  const kill = plan.kill.map((k) => k.name).join(' ');
  const start = [...plan.ephemeral, ...plan.start].join(' ');
  if (plan.sandbox === 'kill' || plan.sandbox === 'replace') parts.push({ kind: 'killPod', names: '' });
  if (kill) parts.push({ kind: 'kill', names: kill });
  if (plan.sandbox === 'create' || plan.sandbox === 'replace') parts.push({ kind: 'create', names: '' });
  if (plan.init.length > 0) parts.push({ kind: 'init', names: plan.init.join(' ') });
  if (start) parts.push({ kind: 'start', names: start });
  return parts;
}
