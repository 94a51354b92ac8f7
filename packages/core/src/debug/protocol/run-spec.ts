import type { Deviation } from '../../kernel/index.js';
import type { EraVersion } from '../../kubelet/index.js';
import type { Micros } from '../../trace/index.js';
import type { Intervention, Position } from './commands.js';

/** What a run begins with. With its interventions it is the whole run: the same give the same records, to the byte. */
export interface RunRequest {
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  /** The version of the kubelet, where it is not the one that the scenario is written for. */
  readonly era?: EraVersion;
  /** Where it goes otherwise than the seed would have it. */
  readonly deviations?: readonly Deviation[];
}

/** A run that can be had again: small enough for a link. */
export interface RunSpec extends RunRequest {
  readonly interventions?: readonly Intervention[];
}

/** A run up to a position, as a session tells and loads it. */
export interface RunUpTo extends RunSpec {
  readonly to: Position;
  /** Where its clock stood, in Micros since its start; absent where that is the time of the last record. */
  readonly clock?: Micros;
}
