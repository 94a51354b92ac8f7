/**
 * Answers an article's messages to a frame (`postMessage`, docs/users/sharing.md). Any page that embeds the frame may
 * ask, from any origin: it can only move the session within the run and choose among the values that the frame's own
 * address has, and the frame reports only its position.
 */
import { own } from '@syncloop/core/base';
import type { Command, RunState } from '@syncloop/core/debug';
import { map, oneOf, optional, read, real, type Shape, tagged, text, whole, withDefault } from '@syncloop/core/shape';
import { FURTHEST } from '../../files/packed-text.js';

/** Most steps at once. */
const MOST_STEPS = 1_000;
/** The furthest time to go to, in seconds of the run. */
const MOST_SECONDS = 3_600;

/** A message of an article, understood; `error`: why it was not; null: it is not for us. */
export type FrameRequest =
  | { readonly command: Command }
  | { readonly set: { readonly name: string; readonly value: string } }
  | { readonly error: string }
  | null;

const count = withDefault(whole(1, MOST_STEPS), 1);
const unit = withDefault(oneOf('decision', 'iteration', 'record'), 'decision');
const seconds = real(0, MOST_SECONDS);
const messages = tagged(
  'do',
  {
    play: {},
    pause: {},
    step: { unit, count },
    back: { unit, count },
    go: { step: optional(whole(0, FURTHEST)), time: optional(seconds) },
    set: { name: text, value: text },
  },
  'drop',
);
/** Reads what a message asks for. */
const request: Shape<Exclude<FrameRequest, null>> = map(messages, (message, r) => {
  switch (message.do) {
    case 'play':
      return { command: { do: 'resume' } };
    case 'pause':
      return { command: { do: 'pause' } };
    case 'set':
      return { set: { name: message.name, value: message.value } };
    case 'step':
    case 'back':
      return {
        command: { do: 'step', unit: message.unit, count: message.count, ...(message.do === 'back' && { back: true }) },
      };
    case 'go': {
      const { step, time } = message;
      if (step !== undefined && time === undefined) return { command: { do: 'go', to: { step } } };
      if (time !== undefined && step === undefined)
        return { command: { do: 'go', to: { time: Math.round(time * 1e6) } } };
      throw r.error('it has not one of step and time', 'it must have either step or time');
    }
  }
});

export function asked(data: unknown): FrameRequest {
  if (typeof data !== 'object' || data === null || own(data, 'type') !== 'syncloop') return null;
  try {
    return read(request, data);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The frame's report to the article; times are in seconds of the run. */
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

/** The page as a frame uses it. */
export interface FrameDeps {
  /** False: the session cannot do anything yet. */
  ready(): boolean;
  perform(command: Command): Promise<unknown>;
  /** Chooses a value of a parameter; returns why that is not possible, or null. */
  set(name: string, value: string): string | null;
  tell(status: FrameStatus): void;
}

/** The most commands that wait for their turn: more are refused. */
const MOST_WAITING = 20;
const MOVES: ReadonlySet<Command['do']> = new Set<Command['do']>(['step', 'go']);

/** Runs commands one after the other; a pause ends the one under way. */
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
    if (!this.deps.ready()) {
      this.deps.tell({ type: 'syncloop', error: 'it is not ready yet: wait for its first message' });
      return;
    }
    if ('set' in message) {
      const error = this.deps.set(message.set.name, message.set.value);
      if (error !== null) this.deps.tell({ type: 'syncloop', error });
      return;
    }
    const { command } = message;
    if (command.do === 'pause') {
      this.waiting.length = 0;
      void this.perform(command);
      return;
    }
    if (this.waiting.length >= MOST_WAITING) {
      this.deps.tell({ type: 'syncloop', error: `${MOST_WAITING} moves are waiting already` });
      return;
    }
    // When several moves are waiting, only the last one counts.
    if (command.do === 'go' && this.waiting.at(-1)?.do === 'go') this.waiting.pop();
    this.waiting.push(command);
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      // A move begins where the session is, so it pauses first.
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
