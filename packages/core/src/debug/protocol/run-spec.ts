import type { Deviation } from '../../kernel/index.js';
import type { Micros, Seq } from '../../trace/index.js';
import type { Command } from './protocol.js';

/** A place in a run: so many decisions were taken, and `seq` is the last record seen. It may lie within a decision. */
export interface Position {
  readonly step: number;
  readonly seq: Seq;
}

/** Commands that change what happens. */
export type InterventionCommand = Extract<Command, { do: 'apply' | 'delete' | 'kill' | 'act' }>;

/** Something that was done from outside: after so many decisions and records, when the clock stood at `time`. */
export interface Intervention {
  readonly step: number;
  readonly after: Seq;
  readonly time: Micros;
  readonly command: InterventionCommand;
}

/** What a run begins with. With its interventions it is the whole run: the same give the same records, to the byte. */
export interface RunRequest {
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  /** Where it goes otherwise than the seed would have it. */
  readonly deviations?: readonly Deviation[];
}

/** A run that can be had again: small enough for a link. */
export interface RunSpec extends RunRequest {
  readonly interventions?: readonly Intervention[];
}
