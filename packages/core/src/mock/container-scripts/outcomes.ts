import { base64Encode } from '../../base/index.js';
import { CRIError, type ExecSyncResponse, GrpcCode } from '../../cri/index.js';
import { currentOrNull, Millisecond } from '../../kernel/index.js';
import type { Outcome } from './types.js';

export const execTime = 30 * Millisecond;
export const networkTime = Millisecond;

/**
 * The outcome for the nth of them, counted from 0: each counts as often as its `times` says, the last for ever. If
 * they say from when they count, that decides: `age` is how long the container has run.
 */
export function outcomeAt(outcomes: readonly Outcome[], n: number, age: number): Outcome | null {
  if (outcomes[0]?.from !== undefined) return outcomes.findLast((outcome) => (outcome.from ?? 0) <= age) ?? outcomes[0];
  let left = n;
  for (const outcome of outcomes) {
    left -= outcome.times ?? 1;
    if (left < 0) return outcome;
  }
  return outcomes.at(-1) ?? null;
}

/** Returns the answer of a command with this outcome; throws the runtime's error. */
export function execAnswer({ result, output = '', code }: Outcome): ExecSyncResponse {
  if (result === 'error') throw new CRIError(GrpcCode.Unknown, output || 'failed to exec in container');
  const exitCode = code ?? (result === 'failure' ? 1 : 0);
  return { ...(output !== '' && { stdout: base64Encode(output) }), ...(exitCode !== 0 && { exitCode }) };
}

/** The hook that is calling right now, seen from the caller's stack; null if the caller is not a hook. */
export function hooking(): { readonly pod: string; readonly container: string; readonly hook: Hook } | null {
  const g = currentOrNull()?.g;
  const frame = g?.frames.find((f) => f.fn === 'handlerRunner.Run');
  if (!g || !frame) return null;
  const { pod, container } = frame.args as { pod: string; container: string };
  return { pod, container, hook: g.name.startsWith('preStop ') ? 'preStop' : 'postStart' };
}
export type Hook = 'postStart' | 'preStop';
