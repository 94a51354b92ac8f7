/** Makes, runs, keeps and searches twins: core's rooms as the commands use them. */
import { wholeRun } from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet';
import { redactRecord } from '@syncloop/core/redaction';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import { observedVersion, versionOfRecords } from '@syncloop/core/version';
import {
  type Coverage,
  type Cut,
  compare,
  coverageOf,
  cutDecisions,
  type Decision,
  decisionsOf,
  scenarioOfTwin,
  type TwinScenario,
  type TwinText,
  twinScenario,
  type Verdict,
} from '@syncloop/observe/twin';
import { comparable, type MidLifeRun, runFromMidLife } from '@syncloop/observe/twin/live';
import type { ChanceChoice } from '@syncloop/observe/twin/report';
import { TwinSearch } from '@syncloop/observe/twin/search';

/** A kubelet's capture as records. */
export interface SeenRun {
  readonly records: readonly TraceRecord[];
  /** Microseconds since 1970 at time 0 of the records. */
  readonly epochMicros: number;
  readonly kubelet: { readonly version: string };
  /** The version of the kubelet that re-enacts it, if somebody chose one; its code is loaded. */
  readonly era?: EraVersion;
  /** That very version, as "1.29", if it is another one of the same design. */
  readonly emulatedVersion?: string;
  /**
   * True if secrets were taken out of the records: then they are taken out of the twin's, too, so that equal values
   * stay equal.
   */
  readonly redacted: boolean;
}

/** The result of a search for choices. */
export interface Searched {
  readonly tried: number;
  readonly choices: readonly ChanceChoice[];
  /** The twin with the choices in its section `run`; null if none was better than the twin as it was. */
  readonly better: TwinScenario | null;
  /** One sentence. */
  readonly text: TwinText;
}

/** Makes the twin of an observed run, or of a part of it. `records`: those of `Holder.begun`. */
export function makeTwin(
  { epochMicros, kubelet, era, emulatedVersion, records: all }: SeenRun,
  records: readonly TraceRecord[],
  { pods, from, to }: Cut,
): TwinScenario {
  return twinScenario(records, {
    epochMicros,
    // The part that is re-enacted need not begin with the line of the version.
    kubelet: kubelet.version === '' ? versionOfRecords(all) : observedVersion(kubelet.version),
    ...(era && { era }),
    ...(emulatedVersion && { emulatedVersion }),
    ...(pods && { pods }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
}

/** All records that a twin leaves. Throws a ScenarioError for a text that is not a scenario. */
export function runTwin(twin: TwinScenario, seed?: number, progress?: (time: Micros) => void): TraceRecord[] {
  const records: TraceRecord[] = [];
  const { proceed } = wholeRun(scenarioOfTwin(twin), {
    ...(seed !== undefined && { seed }),
    sink: (record) => records.push(record),
  });
  for (let time = SLICE; time < twin.until; time += SLICE) {
    proceed(time);
    progress?.(time);
  }
  // The last step comes at `until`: it is over a moment later.
  proceed(twin.until + 1);
  return records;
}

/** The time of a twin between two reports of its progress. */
const SLICE: Micros = 60e6;

interface LookedAt {
  /** The twin's records, without secrets if the observed ones have none. */
  readonly records: readonly TraceRecord[];
  readonly decisions: readonly Decision[];
}

/** Holds runs of twins against the same observed run, of which the decisions are found only once. */
export class Holder {
  readonly seen: readonly Decision[];
  /** The coverage of each kind of decision in the observed run. */
  readonly coverage: Coverage;
  /**
   * The part of the observed run that a twin can be made of: from the point at which the state of its pods is known.
   */
  readonly begun: MidLifeRun;
  /** The compared part of each twin's run, found only once. */
  private readonly twins = new WeakMap<readonly TraceRecord[], LookedAt>();

  constructor(
    private readonly of: SeenRun,
    private readonly cut: Cut = {},
  ) {
    this.begun = runFromMidLife(of.records, of.epochMicros);
    this.seen = this.within(decisionsOf(this.begun.records));
    this.coverage = coverageOf(of.records);
  }

  /** `reached`: how far the twin has come on its clock, if it has not ended. */
  compare(
    twin: readonly TraceRecord[],
    { seenFrom, until, kubelet, era, left }: TwinScenario,
    reached: Micros = until,
  ): Verdict {
    const { cut, of } = this;
    const end = seenFrom + Math.min(until, reached);
    const decisions = this.within(this.lookedAt(twin).decisions, seenFrom);
    return compare(this.seen, decisions, {
      coverage: this.coverage,
      kubelet,
      era,
      left,
      seenFrom,
      until: Math.min(cut.to ?? end, end),
      epochMicros: of.epochMicros,
      records: of.records,
    });
  }

  /** Returns a twin's records, without secrets if the observed ones have none. */
  shown(twin: readonly TraceRecord[]): readonly TraceRecord[] {
    return this.lookedAt(twin).records;
  }

  /** Returns the twin's decisions about the pods of the cut. */
  decisions(twin: readonly TraceRecord[]): Decision[] {
    const { pods } = this.cut;
    return cutDecisions(this.lookedAt(twin).decisions, { ...(pods && { pods }) });
  }

  private lookedAt(twin: readonly TraceRecord[]): LookedAt {
    let one = this.twins.get(twin);
    if (!one) {
      const records = this.of.redacted ? twin.map(redactRecord) : twin;
      one = { records, decisions: decisionsOf(records) };
      this.twins.set(twin, one);
    }
    return one;
  }

  /** Returns the decisions of the part that is judged. `shift`: the observed run's clock when theirs is at 0. */
  private within(decisions: readonly Decision[], shift = 0): Decision[] {
    const { beginning } = this.begun;
    const can = beginning ? comparable(beginning, shift) : () => true;
    return cutDecisions(decisions.filter(can), this.cut, shift);
  }
}

/** Searches for the schedule under which the twin does what was observed. Yields the tries so far. */
export function* searchTwin(holder: Holder, twin: TwinScenario, tries: number): Generator<number, Searched> {
  const search = new TwinSearch({
    twin,
    judge(records, until) {
      const { same, differences } = holder.compare(records, twin, until);
      return { agreed: same, differences };
    },
    budget: { tries },
  });
  const work = search.work();
  let next = work.next();
  for (; !next.done; next = work.next()) yield search.report().tries;
  const { tries: tried, before, best, choices, text, summary } = next.value;
  const { document: _, ...plain } = twin;
  const helps =
    best !== null &&
    before !== null &&
    (best.judged.differences.length < before.differences.length || best.judged.agreed > before.agreed);
  return { tried, choices: helps ? choices : [], better: helps ? { ...plain, text } : null, text: summary };
}
