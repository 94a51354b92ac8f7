import { Stopped, type Work, wholeRun } from '@syncloop/core/debug';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Json, Micros, TraceRecord } from '@syncloop/core/trace';
import { parse, stringify } from 'yaml';
import { type JsonObject, textOf } from '../base/json.js';
import type { Difference, TwinScenario, Verdict } from '../base/types.js';
import { decisionsOf } from '../compare/index.js';
import { scenarioOfTwin } from '../make/index.js';
import { guessesAt, type RankedGuess } from './catalogue.js';
import { specOf } from './document.js';
import { placeOf, placesOf } from './places.js';
import type { CauseBudget, CauseJudge, CauseProgress, CauseReport, CauseRow, FoundCause, Guess } from './types.js';
import { causeSentence, orderText, summaryText } from './words.js';

/** A run goes on for this long after a difference before it is judged there: what jitter may shift comes by then. */
const SETTLE: Micros = 3_000_000;
/** Simulated between two yields. */
const SLICE: Micros = 2_000_000;
/** Tries after something explains all: others may do so, too, and assume no more. */
const OTHERS = 6;
/** The most differences that causes are tried for. */
const PLACES = 3;

/** The most changes that are tried together. */
const TOGETHER = 3;

/** A twin with some changes, and the result of comparing it. */
interface Tried {
  readonly guesses: readonly { readonly cause: CauseRow; readonly guess: Guess }[];
  readonly document: JsonObject;
  readonly records: readonly TraceRecord[];
  readonly verdict: Verdict;
  /** Differing decisions that chance does not explain. */
  readonly left: number;
  readonly nth: number;
}

export interface CauseSearchOptions {
  readonly twin: TwinScenario;
  readonly judge: CauseJudge;
  readonly budget?: CauseBudget;
}

/** The differences that chance does not explain, with those that follow from them. */
const unexplained = (differences: readonly Difference[]): readonly Difference[] =>
  differences.filter(({ chance }) => chance === undefined);
const countOf = (differences: readonly Difference[]): number =>
  unexplained(differences).reduce((n, { followers }) => n + 1 + (followers?.length ?? 0), 0);

/**
 * Looks for what no source reports and would explain why an observed kubelet and its twin diverge: changes the twin's
 * scenario in one way after another, runs it, and compares. Its results are a function of its options; no clock is
 * read.
 */
export class CauseSearch {
  private readonly budget: Required<CauseBudget>;
  private tried = 0;
  private simulated: Micros = 0;
  private over = false;
  private before: Tried | null = null;
  private readonly helped: Tried[] = [];
  private readonly order: CauseRow[] = [];
  private readonly keys = new Set<string>();

  constructor(private readonly options: CauseSearchOptions) {
    this.budget = { tries: 80, simulated: 12 * 3600e6, ...options.budget };
  }

  /** Searches in slices. To stop it, drive it no further, or throw `Stopped` into it. */
  *work(): Work<CauseReport> {
    try {
      yield* this.search();
      this.over = true;
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return this.report();
  }

  get progress(): CauseProgress {
    return { done: this.tried, of: this.budget.tries };
  }

  report(): CauseReport {
    const { tried, simulated, over, before } = this;
    const differ = before?.left ?? 0;
    const found = [...this.helped].sort(byWorth).map((one) => this.found(one, before as Tried));
    return {
      tried,
      simulated,
      ended: over,
      differ,
      found,
      order: orderText(this.order),
      summary: summaryText(before && differ, found, tried, over),
    };
  }

  private found({ guesses, document, verdict, left, nth }: Tried, before: Tried): FoundCause {
    const texts = guesses.map(({ guess }) => guess.text);
    const { twin } = this.options;
    const sentence = causeSentence(texts, verdict, before.verdict, left);
    return {
      causes: guesses.map(({ cause }) => cause.id),
      text: sentence,
      cost: costOf(guesses),
      explains: before.left - left,
      left,
      same: verdict.same,
      compared: verdict.compared,
      nth,
      scenario: {
        ...withDocument(twin, document),
        text: textWith(
          twin.text,
          document,
          texts.map(({ en }) => en),
        ),
      },
    };
  }

  // --- the search ----------------------------------------------------------------------------------------------------

  private *search(): Generator<undefined, void> {
    const document = (this.options.twin.document ?? parse(this.options.twin.text)) as JsonObject;
    const first = yield* this.run([], document, null);
    if (!first) return;
    this.before = first;
    let base = first;
    for (let depth = 1; depth <= TOGETHER && base.left > 0; depth++) {
      const best = yield* this.round(base);
      if (!best) return;
      base = best;
    }
  }

  /** Tries one more change of a twin, at its first differences; returns the best. */
  private *round(base: Tried): Generator<undefined, Tried | null> {
    let best: Tried | null = null;
    let others = OTHERS;
    for (const { difference, ranked } of this.candidatesOf(base)) {
      if (this.tried >= this.budget.tries || this.simulated >= this.budget.simulated || others === 0) break;
      const { cause, guess } = ranked;
      if (best?.left === 0) {
        if (guess.cost + costOf(base.guesses) > costOf(best.guesses)) continue;
        others--;
      }
      const guesses = [...base.guesses, { cause, guess }];
      const key = guesses.map((one) => one.guess.key).join(' + ');
      if (this.keys.has(key)) continue;
      this.keys.add(key);
      if (base.guesses.length === 0 && !this.order.includes(cause)) this.order.push(cause);
      this.tried++;
      const tried = yield* this.run(guesses, guess.change(base.document), { base, difference });
      // A change that hides decisions from the comparison explains none.
      if (!tried || tried.left >= base.left || tried.verdict.same < base.verdict.same) continue;
      this.helped.push(tried);
      if (!best || byWorth(tried, best) < 0) best = tried;
    }
    return best;
  }

  /** The changes to try, those of the first difference before those of the next one. */
  private candidatesOf(base: Tried): { readonly difference: Difference; readonly ranked: RankedGuess }[] {
    const taken = decisionsOf(base.records);
    const lists = unexplained(base.verdict.differences)
      .flatMap(placesOf)
      .slice(0, PLACES)
      .map((difference) =>
        guessesAt(placeOf(difference, base.document, taken, this.options.twin.seenFrom)).map((ranked) => ({
          difference,
          ranked,
        })),
      );
    // Two of the first difference, then one of each other one.
    const out: { readonly difference: Difference; readonly ranked: RankedGuess }[] = [];
    const places = lists.map(() => 0);
    while (places.some((at, i) => at < (lists[i]?.length ?? 0)))
      for (const [i, list] of lists.entries()) {
        const many = i === 0 ? 2 : 1;
        out.push(...list.slice(places[i], (places[i] as number) + many));
        places[i] = (places[i] as number) + many;
      }
    return out;
  }

  /**
   * Runs a twin with changes and compares it; null if it cannot run, or does nothing about the difference that it was
   * changed for.
   */
  private *run(
    guesses: Tried['guesses'],
    document: JsonObject,
    about: { readonly base: Tried; readonly difference: Difference } | null,
  ): Generator<undefined, Tried | null> {
    const { judge } = this.options;
    const twin = withDocument(this.options.twin, document);
    const records: TraceRecord[] = [];
    const nth = this.tried;
    try {
      const { proceed } = wholeRun(scenarioOfTwin(twin), {
        sink: (record) => records.push(record),
      });
      const end = twin.until + 1;
      let cut = about ? endOf(about.difference, twin.seenFrom) + SETTLE : end;
      for (let now = 0; now < end; ) {
        now = Math.min(now + SLICE, end);
        proceed(now);
        yield undefined;
        if (now < cut || now >= end) continue;
        cut = end;
        if (about && !changes(about.difference, judge(records.slice(), now, twin))) {
          this.simulated += now;
          return null;
        }
      }
      this.simulated += end;
    } catch (error) {
      // A change that makes no scenario, or needs a version that is not loaded, is not a cause.
      if (!(error instanceof Stopped) && about) return null;
      throw error;
    }
    const verdict = judge(records, twin.until, twin);
    return { guesses, document, records, verdict, left: countOf(verdict.differences), nth };
  }
}

export const withDocument = (twin: TwinScenario, document: JsonObject): TwinScenario => ({
  ...twin,
  era: (textOf(specOf(document).era) || defaultEra) as EraVersion,
  document: document as Json,
});

const costOf = (guesses: Tried['guesses']): number => guesses.reduce((sum, { guess }) => sum + guess.cost, 0);
interface Worth {
  readonly left: number;
  readonly same: number;
  readonly cost: number;
  readonly nth: number;
}
/** Orders results: those that explain more come first, of these those that assume less, then those tried first. */
const compareWorth = (a: Worth, b: Worth): number =>
  b.same - b.left - (a.same - a.left) || a.cost - b.cost || a.nth - b.nth;
const worthOf = ({ left, verdict, guesses, nth }: Tried): Worth => ({
  left,
  same: verdict.same,
  cost: costOf(guesses),
  nth,
});
const byWorth = (a: Tried, b: Tried): number => compareWorth(worthOf(a), worthOf(b));

const endOf = ({ seen, twin }: Difference, seenFrom: Micros): Micros =>
  Math.max(seen ? seen.time + (seen.took ?? 0) - seenFrom : 0, twin ? twin.time + (twin.took ?? 0) : 0);

/** The same difference in two runs of a twin. */
const keyOf = ({ how, seen, twin, path = '' }: Difference): string => {
  const of = seen ?? twin;
  return `${how} ${path} ${seen?.seq ?? ''} ${of?.kind} ${of?.what} ${of?.pod} ${of?.container ?? ''} ${of?.attempt ?? ''}`;
};
/** True if a verdict no longer has this difference. */
function changes(difference: Difference, { differences }: Verdict): boolean {
  const key = keyOf(difference);
  return !differences.some((one) => keyOf(one) === key || one.followers?.some((f) => keyOf(f) === key));
}

/** A scenario's file with the twin's own remarks at its head, and what was changed. */
function textWith(text: string, document: JsonObject, changed: readonly string[]): string {
  const head = text.split('\n').findIndex((line) => !line.startsWith('#'));
  const remarks = text.split('\n').slice(0, Math.max(0, head));
  const body = stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
  return [...remarks, ...changed.map((what) => `# Changed: ${what.replaceAll('\n', ' ')}`), body].join('\n');
}
