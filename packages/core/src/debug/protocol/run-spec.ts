import type { Deviation } from '../../kernel/index.js';
import type { EraVersion } from '../../kubelet/index.js';
import type { Micros } from '../../trace/index.js';
import type { Intervention, Position } from './commands.js';

/** The beginning of a run. With its interventions it is the whole run: the same give the same records, to the byte. */
export interface RunRequest {
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  /** The version of the kubelet, if it is not the one that the scenario is written for. */
  readonly era?: EraVersion;
  /** The choices that differ from what the seed would have chosen. */
  readonly deviations?: readonly Deviation[];
}

/** All that is needed to execute a run again: small enough for a link. */
export interface RunSpec extends RunRequest {
  readonly interventions?: readonly Intervention[];
}

/** A run up to a position, as a session reports and loads it. */
export interface RunUpTo extends RunSpec {
  readonly to: Position;
  /** Time of its clock, in Micros since its start; absent if it is the time of the last record. */
  readonly clock?: Micros;
}
