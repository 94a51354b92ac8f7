import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { ObservedVersion } from '@syncloop/core/version';
import type { Difference, LeftOut, TwinScenario, TwinText, Verdict } from '../base/types.js';

export interface LiveTwinOptions {
  /** Microseconds since 1970 at time 0 of the observed records. */
  readonly epochMicros: number;
  /** Such as "v1.36.2"; '' if unknown. */
  readonly version?: string;
  /** The version of the kubelet that re-enacts it; its code has to be loaded. Default: the nearest one. */
  readonly era?: EraVersion;
  /** The version of that design whose rules apply, such as "1.34". Default: the observed one, if it is of it. */
  readonly emulatedVersion?: string;
  /** Redacts secrets in the twin's records as in the observed ones, so that equal values stay equal. */
  readonly redact?: (record: TraceRecord) => TraceRecord;
  /** The delay after which all evidence of a moment has arrived, microseconds. Default: 3 s. */
  readonly lag?: Micros;
  /** After this time the twin begins again from the present state, so that its cost does not grow. Default: 45 s. */
  readonly window?: Micros;
}

/** A difference that was kept; the twin went on from the observed state. */
export interface KeptDifference {
  readonly difference: Difference;
  /** Microseconds since 1970 of the real kubelet's decision, or the twin's on its clock. */
  readonly epochMicros: number;
}

/** The status of a twin that follows a kubelet, at a beat. Times are on the clock of the observed records. */
export interface LiveStatus {
  /** `waiting`: no pods are known yet. `following`: it is compared. `gone`: it has given up. */
  readonly state: 'waiting' | 'following' | 'gone';
  /** The reason why it waits, or has given up; '' while it follows. */
  readonly reason: TwinText | null;
  /** The observed kubelet's version as far as it is known, and the version of the twin's. */
  readonly kubelet: ObservedVersion;
  readonly era: EraVersion;
  /** Both runs are compared up to this time. */
  readonly until: Micros;
  /** The twin's delay behind that, microseconds. */
  readonly behind: Micros;
  /** The time at which this twin began. */
  readonly began: Micros;
  /** The time since which both have decided the same; null if nothing was compared since the last difference. */
  readonly agreesSince: Micros | null;
  /** Decisions that were compared and the same, since the first beginning. */
  readonly compared: number;
  readonly same: number;
  /** The number of times that it has begun. */
  readonly beginnings: number;
  readonly followed: number;
  readonly left: readonly LeftOut[];
  /** The latest, oldest first; `differences` counts all. */
  readonly kept: readonly KeptDifference[];
  readonly differences: number;
  /** One sentence. */
  readonly text: TwinText;
}

/** A twin at a moment, which can be opened as a whole kubelet while the node goes on. */
export interface FrozenTwin {
  readonly scenario: TwinScenario;
  readonly verdict: Verdict;
  /** The records with which the twin began, and those observed since. */
  readonly seen: readonly TraceRecord[];
}
