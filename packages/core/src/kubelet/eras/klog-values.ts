import type { Json } from '../../trace/index.js';

interface Condition {
  readonly type: string;
  readonly status: boolean;
  readonly reason?: string;
  readonly message?: string;
}

/**
 * The runtime's conditions in a sentence, as before they were logged with their fields. upstream: RuntimeStatus.String
 */
export function runtimeStatus(value: Json): Json {
  const conditions = (value as { readonly conditions?: readonly Condition[] } | null)?.conditions;
  if (!Array.isArray(conditions) || typeof conditions[0]?.status !== 'boolean') return value;
  const texts = (conditions as readonly Condition[]).map(
    ({ type, status, reason = '', message = '' }) => `${type}=${status} reason:${reason} message:${message}`,
  );
  return `Runtime Conditions: ${texts.join(', ')}`;
}

/** Returns the planned actions of a sync for a pod's containers, with the fields from before v1.28. */
export function podActions(value: Json): Json {
  if (typeof value !== 'string') return value;
  const of = (name: string) => new RegExp(`\\b${name}: ?(map\\[[^\\]]*\\]|\\[[^\\]]*\\]|[^,]*)`).exec(value)?.[1] ?? '';
  const next = /^\[(\d+)/.exec(of('InitContainersToStart'))?.[1];
  return {
    KillPod: of('KillPod'),
    CreateSandbox: of('CreateSandbox'),
    Attempt: of('Attempt'),
    NextInitContainerToStart: next ?? 'nil',
    ContainersToStart: of('ContainersToStart'),
    ContainersToKill: of('ContainersToKill'),
    EphemeralContainersToStart: of('EphemeralContainersToStart'),
  };
}
