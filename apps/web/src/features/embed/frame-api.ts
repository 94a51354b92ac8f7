/**
 * What an article can ask of a frame with `postMessage`, and what it is told (docs/sharing.md). Whoever holds the frame
 * may ask, wherever they come from: nothing but moving about in the run can be asked for, and nothing is told but where
 * it stands.
 */
import type { Command, GoTarget, RunState } from '@syncloop/core/debug';
import { FURTHEST } from '../../files/packed-text.js';

/** Most steps at once. */
const MOST_STEPS = 1_000;
/** Furthest time that can be gone to, in seconds of the run. */
const MOST_SECONDS = 3_600;

/** A message of an article, understood; `error`: why it was not; null: it is not for us. */
export type FrameRequest = { readonly command: Command } | { readonly error: string } | null;

const UNITS = ['decision', 'iteration', 'record'] as const;

export function asked(data: unknown): FrameRequest {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  const own = (key: string): unknown =>
    Object.hasOwn(data, key) ? (data as { readonly [key: string]: unknown })[key] : undefined;
  if (own('type') !== 'syncloop') return null;
  const what = own('do');
  switch (what) {
    case 'play':
      return { command: { do: 'resume' } };
    case 'pause':
      return { command: { do: 'pause' } };
    case 'step':
    case 'back': {
      const unit = UNITS.find((u) => u === (own('unit') ?? 'decision'));
      const count = own('count') ?? 1;
      if (!unit) return { error: `unit: it must be one of ${UNITS.join(', ')}` };
      if (!whole(count, 1, MOST_STEPS)) return { error: `count: it must be a whole number from 1 to ${MOST_STEPS}` };
      return { command: { do: 'step', unit, count, ...(what === 'back' && { back: true }) } };
    }
    case 'go': {
      const to = target(own('step'), own('time'));
      return typeof to === 'string' ? { error: to } : { command: { do: 'go', to } };
    }
    default:
      return { error: 'do: it must be one of play, pause, step, back, go' };
  }
}

function target(step: unknown, time: unknown): GoTarget | string {
  if ((step === undefined) === (time === undefined)) return 'go: it must have either step or time';
  if (step !== undefined)
    return whole(step, 0, FURTHEST) ? { step } : `step: it must be a whole number from 0 to ${FURTHEST}`;
  if (typeof time === 'number' && time >= 0 && time <= MOST_SECONDS) return { time: Math.round(time * 1e6) };
  return `time: it must be seconds from 0 to ${MOST_SECONDS}`;
}

const whole = (value: unknown, from: number, to: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;

/** What the article is told; time in seconds of the run. */
export interface FrameStatus {
  readonly type: 'syncloop';
  readonly at?: { readonly step: number; readonly time: number };
  readonly running?: boolean;
  readonly error?: string;
}
export const frameStatus = ({ steps, time, running }: RunState): FrameStatus => ({
  type: 'syncloop',
  at: { step: steps, time: time / 1e6 },
  running,
});

/** What a frame needs of its page. */
export interface FrameDeps {
  /** False: the session cannot do anything yet. */
  ready(): boolean;
  perform(command: Command): Promise<unknown>;
  tell(told: FrameStatus): void;
}

/** More than this wait for their turn: the rest is refused. */
const MOST_WAITING = 20;
const MOVES: ReadonlySet<Command['do']> = new Set<Command['do']>(['step', 'go']);

/** Does what was asked for, one after the other; a pause ends what is under way. */
export class FrameQueue {
  private readonly waiting: Command[] = [];
  private busy = false;
  constructor(private readonly deps: FrameDeps) {}

  take(data: unknown): void {
    const message = asked(data);
    if (message === null) return;
    if ('error' in message) {
      this.deps.tell({ type: 'syncloop', error: message.error });
      return;
    }
    const { command } = message;
    if (!this.deps.ready()) {
      this.deps.tell({ type: 'syncloop', error: 'it is not ready yet: wait for its first message' });
      return;
    }
    if (command.do === 'pause') {
      this.waiting.length = 0;
      void this.perform(command);
      return;
    }
    if (this.waiting.length >= MOST_WAITING) {
      this.deps.tell({ type: 'syncloop', error: `${MOST_WAITING} moves are waiting already` });
      return;
    }
    // Of several places to go to, the last is meant.
    if (command.do === 'go' && this.waiting.at(-1)?.do === 'go') this.waiting.pop();
    this.waiting.push(command);
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      // A move begins where it stands.
      if (MOVES.has(next.do)) await this.perform({ do: 'pause' });
      await this.perform(next);
    }
    this.busy = false;
  }

  private async perform(command: Command): Promise<void> {
    try {
      await this.deps.perform(command);
    } catch (error) {
      this.deps.tell({ type: 'syncloop', error: error instanceof Error ? error.message : String(error) });
    }
  }
}
