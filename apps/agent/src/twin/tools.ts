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
  /** The version of the kubelet that re-enacts it, where somebody chose one; its code is loaded. */
  readonly era?: EraVersion;
  /** Secrets were taken out of the records: so they are of the twin's, and what is the same stays the same. */
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

/** The twin of what was observed, or of a part of it. `records`: those of `Holder.begun`. */
export function makeTwin(
  { epochMicros, kubelet, era, records: all }: SeenRun,
  records: readonly TraceRecord[],
  { pods, from, to }: Cut,
): TwinScenario {
  return twinScenario(records, {
    epochMicros,
    // The part that is re-enacted need not begin with the line that says it.
    kubelet: kubelet.version === '' ? versionOfRecords(all) : observedVersion(kubelet.version),
    ...(era && { era }),
    ...(pods && { pods }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
}

/** All records that a twin leaves. Throws a ScenarioError for a text that is not a scenario. */
export function runTwin(twin: TwinScenario, seed?: number): TraceRecord[] {
  const records: TraceRecord[] = [];
  const { proceed } = wholeRun(scenarioOfTwin(twin), {
    ...(seed !== undefined && { seed }),
    sink: (record) => records.push(record),
  });
  // The last step comes at `until`: it is over a moment later.
  proceed(twin.until + 1);
  return records;
}

interface LookedAt {
  /** Without secrets where the observed ones have none. */
  readonly records: readonly TraceRecord[];
  readonly decisions: readonly Decision[];
}

/** Holds runs of twins against the same observed run, of which the decisions are found only once. */
export class Holder {
  readonly seen: readonly Decision[];
  /** How much of each kind of decision was observed. */
  readonly coverage: Coverage;
  /** The observed run as a twin can be made of it: from where the state of its pods is known. */
  readonly begun: MidLifeRun;
  /** By the run of a twin: what is compared of it, found only once. */
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

  /** A twin's records, without secrets where the observed ones have none. */
  shown(twin: readonly TraceRecord[]): readonly TraceRecord[] {
    return this.lookedAt(twin).records;
  }

  /** Those of the twin that are about the pods of the cut. */
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

  /** Those of the part that is judged. `shift`: the observed run's clock when theirs is at 0. */
  private within(decisions: readonly Decision[], shift = 0): Decision[] {
    const { beginning } = this.begun;
    const can = beginning ? comparable(beginning, shift) : () => true;
    return cutDecisions(decisions.filter(can), this.cut, shift);
  }
}

/** Looks for the schedule under which the twin does what was observed. Yields the tries so far. */
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
