import { Stopped, type Work, wholeRun } from '@syncloop/core/debug';
import { type Incident, Incidents, kindRows } from '@syncloop/core/debug/incidents';
import { generatedScenario } from '@syncloop/core/scenario';
import type { Json, Micros, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { parse, stringify } from 'yaml';
import { items, type JsonObject, objectOf, seconds } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { nameInDocument, specOf } from '../causes/index.js';
import { asGood, byEffect, effectOf } from './effects.js';
import { HarmCounter, harmful, keyOf } from './harm.js';
import { HeldNames } from './held-name.js';
import { remedyRows, unknownOf } from './rows.js';
import { harmText, NO_HARM, sentenceOf } from './sentences.js';
import type { Case, Remedy, RemedyReport, RemedyRow, Scale, Subject, Tried, TriedRemedy } from './types.js';

const SLICE: Micros = 2_000_000;

interface Outcome {
  readonly harm: HarmCounter;
  readonly held: HeldNames;
  readonly incidents: readonly Incident[];
  readonly records: readonly TraceRecord[];
  readonly until: Micros;
}
interface Ran extends Tried {
  readonly id: string;
  readonly document: JsonObject;
}

/** Returns the run of a scenario, or of a twin, as it is given to a search. */
export const subjectOf = (
  { name, text, document }: { readonly name: string; readonly text: string; readonly document?: Json },
  of: Subject['of'],
): Subject => ({ name, document: objectOf(document ?? parse(text)), of });

/**
 * Runs what may prevent an incident, and says what each would have changed. What happens outside the kubelet stays at
 * its time, whatever the kubelet does then. Results are a function of the subject; no clock is read.
 */
export class RemedySearch {
  private runs = 0;
  private base: Outcome | null = null;
  private incident: Incident | null = null;
  private pinned: JsonObject = {};
  private readonly ran: Ran[] = [];
  private readonly unknown: TwinText[] = [];

  /** `kind`: of which incident; default: the weightiest one. `runs`: the most runs. */
  constructor(
    private readonly subject: Subject,
    private readonly options: { readonly kind?: string; readonly runs?: number } = {},
  ) {}

  get progress() {
    return { done: this.runs, of: this.most };
  }
  private get most(): number {
    return this.options.runs ?? 60;
  }

  /** Works in slices. Returns null if nothing went wrong. */
  *work(): Work<RemedyReport | null> {
    try {
      yield* this.search();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return this.report();
  }

  report(): RemedyReport | null {
    const { incident, base } = this;
    if (!incident || !base) return null;
    const before = base.harm.of(incident, base.incidents);
    const tried = this.ran.toSorted(byEffect).map(
      (one): TriedRemedy => ({
        id: one.id,
        effect: one.effect,
        count: one.harm.count,
        added: one.added,
        document: one.document,
        text: sentenceOf(incident.kind, one, before),
        scenario: `# Changed: ${one.remedy.text.en}\n${stringify(one.document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`,
      }),
    );
    return { incident: harmText(incident, before), kind: incident.kind, runs: this.runs, tried, unknown: this.unknown };
  }

  /** The incident of the kind that was asked for; else the weightiest one that something can be tried for. */
  private chosen({ incidents, harm }: Outcome): Incident | null {
    const { kind: wanted } = this.options;
    if (wanted !== undefined) return incidents.find(({ kind }) => kind === wanted) ?? null;
    // A thing that was asked for may have done harm as well.
    const wrong = incidents.filter((one) => !one.expected || (harmful(one.kind) && harm.of(one, incidents).count > 0));
    return wrong.find(({ kind }) => remedyRows.some(({ kinds }) => kinds.includes(kind))) ?? wrong[0] ?? null;
  }

  private *search(): Generator<undefined, void> {
    const { subject } = this;
    const { run: _, ...document } = subject.document;
    const first = yield* this.run(document, null);
    this.pinned = pinned(document, first);
    this.base = yield* this.run(this.pinned, first.until);
    this.incident = this.chosen(this.base);
    const { incident } = this;
    if (!incident) return;
    if (this.base.harm.of(incident, this.base.incidents).count === 0) {
      this.unknown.push(NO_HARM);
      return;
    }
    const one = caseOf(incident, this.pinned, this.base.held.fact);
    this.unknown.push(...unknownOf(incident.kind));
    for (const row of remedyRows) {
      if (!row.kinds.includes(incident.kind) || (row.simulatedOnly && subject.of === 'twin')) continue;
      const list = [...row.of(one)];
      if (list.length > 0 && row.unknown && subject.of === 'twin') {
        const why = row.unknown(one);
        if (!this.unknown.some(({ en }) => en === why.en)) this.unknown.push(why);
        continue;
      }
      for (const what of list) {
        if (this.runs >= this.most) return;
        if ('values' in what) yield* this.least(row, what);
        else {
          const ran = yield* this.tryOne(row, what);
          if (ran) this.ran.push(ran);
        }
      }
    }
  }

  /** Looks for the least value of a scale that helps as much as the greatest one, if that helps. */
  private *least(row: RemedyRow, { values, at }: Scale): Generator<undefined, void> {
    const remedies = values.map(at);
    let [low, high] = [0, remedies.length - 1];
    let best = high < 0 ? null : yield* this.tryOne(row, remedies[high] as Remedy);
    if (!best) return;
    const greatest = best;
    let notWith: Remedy | null = null;
    if (best.effect === 'prevents' || best.effect === 'lessens')
      while (low < high && this.runs < this.most) {
        const middle = (low + high) >> 1;
        const ran = yield* this.tryOne(row, remedies[middle] as Remedy);
        if (ran && asGood(ran, greatest)) {
          best = ran;
          high = middle;
        } else {
          notWith = remedies[middle] as Remedy;
          low = middle + 1;
        }
      }
    this.ran.push({ ...best, notWith });
  }

  private *tryOne({ id }: RemedyRow, remedy: Remedy): Generator<undefined, Ran | null> {
    const base = this.base as Outcome;
    const incident = this.incident as Incident;
    const document = remedy.change(this.pinned);
    let outcome: Outcome;
    try {
      outcome = yield* this.run(document, base.until);
    } catch (error) {
      if (error instanceof Stopped) throw error;
      // A value that the scenario cannot have, or a version that is not loaded.
      return null;
    }
    const harm = outcome.harm.of(incident, outcome.incidents);
    const before = base.harm.of(incident, base.incidents);
    const known = new Set(base.incidents.map(keyOf));
    const added = outcome.incidents.filter((one) => !known.has(keyOf(one)) && isWrong(one)).map(({ text }) => text);
    return { id, effect: effectOf(harm, before, added.length > 0), harm, added, remedy, document, notWith: null };
  }

  private *run(document: JsonObject, until: Micros | null): Generator<undefined, Outcome> {
    this.runs++;
    const records: TraceRecord[] = [];
    const incidents = new Incidents();
    const harm = new HarmCounter();
    const held = new HeldNames();
    const { run, proceed } = wholeRun(generatedScenario(document as Json, ''), {
      sink: (record) => {
        if (record.kind === 'input') records.push(record);
        incidents.take(record);
        harm.take(record);
        held.take(record);
      },
    });
    for (let now = 0; until === null ? !run.done && now < LONGEST : now < until; ) {
      now += SLICE;
      proceed(until === null ? now : Math.min(now, until));
      yield undefined;
    }
    return { harm, held, incidents: incidents.list().incidents, records, until: until ?? run.kernel.now() };
  }
}
/** The longest run of a scenario that a remedy is looked for in. */
const LONGEST: Micros = 6 * 3600e6;

/** A kubelet that starts may report some troubles once: those are not a remedy's. */
const isWrong = ({ expected, kind, count }: Incident): boolean => !expected && !(kindRows[kind].atStart && count === 1);

const caseOf = (incident: Incident, document: JsonObject, held: TwinText | null): Case => ({
  incident,
  pod: nameInDocument(incident.pod, document),
  container: incident.container,
  document,
  held,
});

/** The scenario with each step at the time at which it came, whatever else happens. */
function pinned(document: JsonObject, { records, until }: Outcome): JsonObject {
  const inputs = records.filter((r): r is RecordOf<'input'> => r.kind === 'input');
  let next = 0;
  const steps: Json[] = [];
  for (const step of items(specOf(document).steps)) {
    const verb = typeof step === 'string' ? step : (Object.keys(objectOf(step))[0] ?? '');
    if (verb === 'wait' || verb === 'waitFor' || verb === 'assert') continue;
    const found = inputs.findIndex((r, i) => i >= next && r.verb === verb);
    if (found < 0) continue;
    next = found + 1;
    steps.push({ wait: { until: seconds((inputs[found] as RecordOf<'input'>).time) } }, step);
  }
  steps.push({ wait: { until: seconds(until) } });
  const { expect: _, ...rest } = document;
  return { ...rest, spec: { ...specOf(document), openAt: undefined, continueOnError: true, steps } as Json };
}
