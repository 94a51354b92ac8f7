import { Stopped, type Work, wholeRun } from '@syncloop/core/debug';
import { type Incident, Incidents } from '@syncloop/core/debug/incidents';
import { generatedScenario } from '@syncloop/core/scenario';
import type { Json, Micros, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { parse, stringify } from 'yaml';
import { items, type JsonObject, objectOf, seconds } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { nameInDocument, specOf } from '../causes/index.js';
import { HarmCounter, keyOf } from './harm.js';
import { remedyRows, unknownKinds } from './rows.js';
import type { Case, Effect, Remedy, RemedyReport, RemedyRow, Scale, Subject, TriedRemedy } from './types.js';

const SLICE: Micros = 2_000_000;

interface Outcome {
  readonly harm: HarmCounter;
  readonly incidents: readonly Incident[];
  readonly records: readonly TraceRecord[];
  readonly until: Micros;
}
interface Ran extends Omit<TriedRemedy, 'scenario' | 'text' | 'document'> {
  readonly remedy: Remedy;
  readonly document: JsonObject;
  /** The value before it, which does not help. */
  readonly notWith: Remedy | null;
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
    const tried = this.ran
      .toSorted((a, b) => rank[a.effect] - rank[b.effect] || a.count - b.count || a.added.length - b.added.length)
      .map(
        ({ remedy, notWith, ...rest }): TriedRemedy => ({
          ...rest,
          text: sentenceOf(rest, remedy, notWith, base.harm.of(incident, base.incidents).count),
          scenario: `# Changed: ${remedy.text.en}\n${stringify(rest.document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`,
        }),
      );
    return { incident: incident.text, kind: incident.kind, runs: this.runs, tried, unknown: this.unknown };
  }

  /** The incident of the kind that was asked for; else the weightiest one that something can be tried for. */
  private chosen(incidents: readonly Incident[]): Incident | null {
    const { kind: wanted } = this.options;
    if (wanted !== undefined) return incidents.find(({ kind }) => kind === wanted) ?? null;
    const wrong = incidents.filter(({ expected }) => !expected);
    return wrong.find(({ kind }) => remedyRows.some(({ kinds }) => kinds.includes(kind))) ?? wrong[0] ?? null;
  }

  private *search(): Generator<undefined, void> {
    const { subject } = this;
    const { run: _, ...document } = subject.document;
    const first = yield* this.run(document, null);
    this.pinned = pinned(document, first);
    this.base = yield* this.run(this.pinned, first.until);
    this.incident = this.chosen(this.base.incidents);
    const { incident } = this;
    if (!incident) return;
    const one = caseOf(incident, this.pinned);
    const known = unknownKinds[incident.kind];
    if (known) this.unknown.push(known);
    for (const row of remedyRows) {
      if (!row.kinds.includes(incident.kind)) continue;
      const list = [...row.of(one)];
      if (list.length > 0 && row.unknown && subject.of === 'twin') {
        if (!this.unknown.includes(row.unknown)) this.unknown.push(row.unknown);
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

  /** Looks for the least value of a scale that prevents the incident. If the greatest does not, none is taken to. */
  private *least(row: RemedyRow, { values, at }: Scale): Generator<undefined, void> {
    const remedies = values.map(at);
    let [low, high] = [0, remedies.length - 1];
    let best = high < 0 ? null : yield* this.tryOne(row, remedies[high] as Remedy);
    if (!best) return;
    let notWith: Remedy | null = null;
    if (best.effect === 'prevents')
      while (low < high && this.runs < this.most) {
        const middle = (low + high) >> 1;
        const ran = yield* this.tryOne(row, remedies[middle] as Remedy);
        if (ran?.effect === 'prevents') {
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
    const { count, unsettled } = outcome.harm.of(incident, outcome.incidents);
    const { count: before } = base.harm.of(incident, base.incidents);
    const known = new Set(base.incidents.map(keyOf));
    const added = outcome.incidents.filter((one) => !one.expected && !known.has(keyOf(one))).map(({ text }) => text);
    const effect = effectOf(count, before, added.length > 0, unsettled);
    return { id, effect, count, added, remedy, document, notWith: null };
  }

  private *run(document: JsonObject, until: Micros | null): Generator<undefined, Outcome> {
    this.runs++;
    const records: TraceRecord[] = [];
    const incidents = new Incidents();
    const harm = new HarmCounter();
    const { run, proceed } = wholeRun(generatedScenario(document as Json, ''), {
      sink: (record) => {
        if (record.kind === 'input') records.push(record);
        incidents.take(record);
        harm.take(record);
      },
    });
    for (let now = 0; until === null ? !run.done && now < LONGEST : now < until; ) {
      now += SLICE;
      proceed(until === null ? now : Math.min(now, until));
      yield undefined;
    }
    return { harm, incidents: incidents.list().incidents, records, until: until ?? run.kernel.now() };
  }
}
/** The longest run of a scenario that a remedy is looked for in. */
const LONGEST: Micros = 6 * 3600e6;

const rank: { readonly [E in Effect]: number } = { prevents: 0, lessens: 1, later: 2, nothing: 3, worse: 4 };
function effectOf(count: number, before: number, adds: boolean, unsettled: boolean): Effect {
  if (adds || count > before) return 'worse';
  if (count === 0) return unsettled ? 'later' : 'prevents';
  return count < before ? 'lessens' : 'nothing';
}

function caseOf({ pod, container, ...rest }: Incident, document: JsonObject): Case {
  return { incident: { pod, container, ...rest }, pod: nameInDocument(pod, document), container, document };
}

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

/** A name in Latin letters stands apart from the Chinese word before it. */
const apart = (zh: string): string => (/^[\x21-\x7e]/.test(zh) ? ` ${zh}` : zh);

function sentenceOf(
  { effect, count, added }: Pick<TriedRemedy, 'effect' | 'count' | 'added'>,
  { text }: Remedy,
  notWith: Remedy | null,
  before: number,
): TwinText {
  const zh = apart(text.zh);
  const less: TwinText = notWith
    ? {
        en: `; with ${notWith.text.en.replace(/ instead of .*$/, '')} it does`,
        zh: `；若${apart(notWith.text.zh.replace(/ 而不是.*$/, ''))}则仍会发生`,
      }
    : { en: '', zh: '' };
  switch (effect) {
    case 'prevents':
      return { en: `With ${text.en} it does not happen${less.en}.`, zh: `若${zh}，则不会发生${less.zh}。` };
    case 'lessens':
      return {
        en: `With ${text.en} it still happens, ${count} instead of ${before} times.`,
        zh: `若${zh}，仍会发生，由 ${before} 次变为 ${count} 次。`,
      };
    case 'later':
      return {
        en: `With ${text.en} it is only put off: its reason was still there when the run ended.`,
        zh: `若${zh}，只是推迟：运行结束时其起因仍在。`,
      };
    case 'nothing':
      return { en: `With ${text.en} it happens all the same.`, zh: `若${zh}，同样会发生。` };
    case 'worse': {
      const [first] = added;
      return {
        en: `With ${text.en} ${count === 0 ? 'it does not happen' : 'it happens, too'}${first ? `, but ${first.en}` : ', more often'}.`,
        zh: `若${zh}，${count === 0 ? '不会发生' : '也会发生'}${first ? `，但${first.zh}` : '，且更频繁'}。`,
      };
    }
  }
}
