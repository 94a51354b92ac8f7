import type { Micros, TraceRecord } from '@syncloop/core/trace';
import { type ObservedVersion, observedVersion } from '@syncloop/core/version';
import type { Decision, Difference, TwinScenario, Verdict } from '../base/types.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { twinScenario } from '../make/index.js';
import { type Beginning, beginningOf, sinceBeginning } from './beginning.js';
import { Known } from './known.js';
import { LiveRun } from './live-run.js';
import { comparable } from './mid-life.js';
import type { FrozenTwin, KeptDifference, LiveStatus, LiveTwinOptions } from './types.js';
import { gaveUp, statusText, waits } from './words.js';

const LAG = 3_000_000;
const WINDOW = 45_000_000;
/**
 * The time for which both must have gone on before a difference counts: late decisions have come by then, and so has
 * what upstream's jitter may shift: the first run of a probe, the next try after a failure.
 */
const SURE = 20_000_000;
/** The most records of one window; with more of them the twin begins again sooner. */
const MOST_RECORDS = 200_000;
/** After this many differences, each within the window after the one before, the twin gives up. */
const MOST_IN_A_ROW = 5;
const MOST_KEPT = 100;
/** Seeds under which a difference has to stay: their runs differ in upstream's random choices. */
const SEEDS = 3;

/**
 * A twin that follows a kubelet some seconds behind. At each beat its scenario is made again from what was observed
 * since its beginning, the run advances to a moment of which everything is known by now, and both are compared. It
 * stays behind because it needs to know events such as a container's end before it reaches them. Reads no clock.
 */
export class LiveTwin {
  private readonly known = new Known();
  private beginning: Beginning | null = null;
  /** Since the beginning. */
  private records: TraceRecord[] = [];
  private newest: Micros = 0;
  private over: LiveStatus['reason'] = null;
  private going: LiveRun | null = null;
  private frozen_: FrozenTwin | null = null;
  private until: Micros = 0;
  private agreesSince: Micros | null = null;
  private before = { compared: 0, same: 0 };
  private now = { compared: 0, same: 0 };
  private beginnings = 0;
  private differences = 0;
  private inARow = 0;
  private readonly kept: KeptDifference[] = [];

  constructor(private readonly options: LiveTwinOptions) {}

  /** Takes the next record of the observation. */
  take(record: TraceRecord): void {
    this.newest = Math.max(this.newest, record.time);
    this.known.take(record);
    if (this.over) return;
    if (record.kind === 'process' && record.process === 'kubelet' && record.state === 'started') this.restarted(record);
    else if (this.beginning) this.records.push(sinceBeginning(record, this.beginning));
  }

  /** A kubelet that starts knows nothing from before: followed pods are dropped, and present ones are added again. */
  private restarted(record: TraceRecord): void {
    // The pods that the runtime still has are those of before: without a list they are not known.
    if (this.beginning) this.records.push(record);
    else if (this.known.pods.size === 0) {
      this.begin({
        ...{ at: record.time, followed: new Set(), left: [], old: new Set(), began: 0 },
        records: [...this.known.sources.values()],
      });
      this.records.push(record);
    }
  }

  /** The twin at the last beat; null before the first. */
  get frozen(): FrozenTwin | null {
    return this.frozen_;
  }
  /** The version of the observed kubelet, as far as it is known by now. */
  private get kubelet(): ObservedVersion {
    const { version = '' } = this.options;
    return version === '' ? this.known.version.found : observedVersion(version);
  }
  /** The number of records that are kept for it. */
  get held(): number {
    return this.records.length + (this.beginning?.records.length ?? 0);
  }

  /** Begins again from the present state of the node. */
  anew(): void {
    // If no record has arrived since, what is known is still valid.
    this.begin(beginningOf(this.known, Math.max(this.newest, this.until), this.options.epochMicros));
  }
  private begin(beginning: Beginning): void {
    this.beginning = beginning;
    this.records = [];
    this.going = null;
    this.until = beginning.at;
    this.before = { compared: this.before.compared + this.now.compared, same: this.before.same + this.now.same };
    this.now = { compared: 0, same: 0 };
    this.beginnings++;
  }

  /**
   * Advances to the lag behind now, and returns the status. `clock`: the observed run's clock, which goes on meanwhile.
   */
  beat(clock: () => Micros): LiveStatus {
    const now = clock();
    if (!this.over && !this.beginning && this.known.listedAll !== null) this.anew();
    if (!this.over && this.beginning) {
      try {
        this.judge(this.beginning, now - (this.options.lag ?? LAG));
      } catch (error) {
        this.over = gaveUp.broken(error instanceof Error ? error.message : String(error));
      }
    }
    return this.status(clock());
  }

  private judge(beginning: Beginning, until: Micros): void {
    if (until <= beginning.at) return;
    const { epochMicros, era, emulatedVersion, window = WINDOW } = this.options;
    const kubelet = this.kubelet;
    const seen = [...beginning.records, ...this.records];
    const scenario = twinScenario(seen, {
      ...{ epochMicros, kubelet },
      ...(era && { era }),
      ...(emulatedVersion !== undefined && { emulatedVersion }),
    });
    const to = Math.max(0, until - scenario.seenFrom);
    const judged = (twin: readonly TraceRecord[]) => this.compare(beginning, seen, twin, scenario, until);
    let verdict: Verdict | null = null;
    if (this.going?.goOn(scenario, to)) verdict = judged(this.going.records);
    // A difference of the continued run may come from evidence that arrived too late, or from chance.
    for (let seed = 1; seed <= SEEDS && (!verdict || this.sure(verdict, scenario, until)); seed++) {
      this.going = new LiveRun(scenario, to, seed, this.options.redact);
      verdict = judged(this.going.records);
    }
    if (!verdict) return;
    this.until = until;
    this.frozen_ = { scenario, verdict, seen };
    this.now = { compared: verdict.compared, same: verdict.same };
    const first = this.sure(verdict, scenario, until);
    if (first) this.part(first, scenario);
    else {
      if (verdict.same > 0) this.agreesSince ??= beginning.at;
      // Decisions that may still become a difference are waited for, but not for ever.
      const open = verdict.differences.some(({ chance }) => chance === undefined);
      const lasted = until - beginning.at;
      if (lasted > (open ? 2 * window : window) || this.records.length > MOST_RECORDS) {
        this.inARow = 0;
        this.anew();
      }
    }
  }

  /** The first difference that stays, and that chance does not explain. */
  private sure({ differences }: Verdict, scenario: TwinScenario, until: Micros): Difference | undefined {
    return differences.find((one) => one.chance === undefined && timeOf(one, scenario) <= until - SURE);
  }

  /** Keeps the difference, and goes on from the real state. */
  private part(difference: Difference, scenario: TwinScenario): void {
    this.differences++;
    this.kept.push({ difference, epochMicros: this.options.epochMicros + timeOf(difference, scenario) });
    if (this.kept.length > MOST_KEPT) this.kept.shift();
    this.agreesSince = null;
    if (++this.inARow >= MOST_IN_A_ROW) this.over = gaveUp.divergence(this.inARow, difference.text);
    else if (this.known.listedAll === null) this.over = gaveUp.noList(difference.text);
    else this.anew();
  }

  private compare(
    beginning: Beginning,
    seen: readonly TraceRecord[],
    twin: readonly TraceRecord[],
    { seenFrom, kubelet, era, left }: TwinScenario,
    until: Micros,
  ): Verdict {
    const compared = (shift: Micros) => {
      const can = comparable(beginning, shift);
      return (d: Decision) => d.time + shift <= until && can(d);
    };
    const coverage = coverageOf([...this.known.samples.values(), ...this.known.sources.values()]);
    return compare(decisionsOf(seen).filter(compared(0)), decisionsOf(twin).filter(compared(seenFrom)), {
      coverage,
      kubelet,
      era,
      left,
      seenFrom,
      until,
      epochMicros: this.options.epochMicros,
    });
  }

  private status(now: Micros): LiveStatus {
    const { beginning, over, until, agreesSince, before, beginnings, kept, differences } = this;
    const { kubelet } = this;
    const status = {
      kubelet,
      era: this.options.era ?? kubelet.era,
      state: over ? ('gone' as const) : beginning ? ('following' as const) : ('waiting' as const),
      reason: over ?? (beginning ? null : waits),
      until,
      behind: beginning ? Math.max(0, now - until) : 0,
      began: beginning?.at ?? 0,
      agreesSince,
      compared: before.compared + this.now.compared,
      same: before.same + this.now.same,
      beginnings,
      followed: beginning?.followed.size ?? 0,
      left: beginning?.left ?? [],
      kept: [...kept],
      differences,
    };
    return { ...status, text: statusText(status, this.options.epochMicros) };
  }
}

/** On the observed run's clock. */
const timeOf = ({ seen, twin }: Difference, { seenFrom }: TwinScenario): Micros =>
  seen ? seen.time : (twin?.time ?? 0) + seenFrom;
