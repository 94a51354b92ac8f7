import { FNV32_OFFSET, messageOf } from '../../base/index.js';
import { type Checker, checkers, watchInvariants } from '../../conformance/invariants/index.js';
import { DeadlockError, type Policy, seeded } from '../../kernel/index.js';
import type { Micros, TraceRecord } from '../../trace/index.js';
import { AssertionWatch, type CompiledAssertions } from './assertions.js';
import { mix, RecordHasher } from './hash.js';
import { OutcomeWatch } from './outcome.js';
import { type Chooser, follow, RecordingPolicy } from './recording-policy.js';
import { type Problem, type Schedule, type Start, type Subject, sameProblem, type Trial } from './types.js';

/** The rules of every run of an exploration: what it must keep, and how far it may go. */
export interface TrialRules {
  readonly start: Start;
  readonly checkers?: readonly Checker[];
  readonly assertions?: CompiledAssertions;
  /** A run ends there even if it is not done. */
  readonly until?: Micros;
  /** More decisions than that, and it is stuck. */
  readonly maxSteps: number;
}

export interface TrialRequest {
  readonly seed: number;
  /** The policy that chooses; the base policy unless given. */
  readonly chooser?: Chooser;
  /** Instead of a chooser. Then nothing is noted: the trial's deviations are empty. */
  readonly policy?: Policy;
  /** Hash each decision, too. */
  readonly decisions?: boolean;
  /** The run ends where this shows. */
  readonly stopAt?: Pick<Problem, 'kind' | 'name'>;
}

/** Decisions between two yields. */
const SLICE = 8;
/** Timers that may fire in a row without waking anybody: after more of them the run counts as stuck. */
const IDLE = 100_000;
const hasher = new RecordHasher();

/** Runs once; yields now and then, so that its caller may do something else. */
export function* runTrial(rules: TrialRules, request: TrialRequest): Generator<void, Trial> {
  return yield* new Run(rules, request).go();
}

/** Runs once, at once. */
export function runNow(rules: TrialRules, request: TrialRequest): Trial {
  const run = runTrial(rules, request);
  for (;;) {
    const next = run.next();
    if (next.done) return next.value;
  }
}

class Run {
  private readonly problems: Problem[] = [];
  private readonly outcomes = new OutcomeWatch();
  private readonly noting: RecordingPolicy | null;
  private readonly assertions: AssertionWatch | null;
  private readonly decisions: number[] | null;
  private readonly subject: Subject;
  private hash = FNV32_OFFSET;
  private records = 0;
  private stopped = false;
  private last: TraceRecord | null = null;

  constructor(
    private readonly rules: TrialRules,
    private readonly request: TrialRequest,
  ) {
    const { seed, chooser = follow([]) } = request;
    this.noting = request.policy ? null : new RecordingPolicy(seed, chooser);
    this.decisions = request.decisions ? [] : null;
    this.assertions = rules.assertions
      ? new AssertionWatch(rules.assertions, (kind, name) =>
          this.report(kind, name, '', kind === 'never' ? `came true: ${name}` : `does not hold at the end: ${name}`),
        )
      : null;
    // Records come from the subject's start on, when there is no subject yet.
    let subject: Subject | null = null;
    const watch = watchInvariants((uid) => subject?.podOf(uid), rules.checkers ?? checkers);
    let seen = 0;
    this.subject = rules.start({
      seed,
      policy: request.policy ?? (this.noting as Policy) ?? seeded(seed),
      sink: (record) => {
        this.note(record, subject?.kernel.steps ?? 0);
        watch.sink(record);
        for (; seen < watch.violations.length; seen++) {
          const v = watch.violations[seen];
          if (v) this.report('invariant', v.invariant, v.pod, v.text);
        }
        this.assertions?.sink(record);
      },
    });
    subject = this.subject;
  }

  private note(record: TraceRecord, decision: number): void {
    this.last = record;
    this.records++;
    const hash = hasher.record(record);
    this.hash = mix(this.hash, hash);
    const { decisions } = this;
    if (decisions) {
      while (decisions.length <= decision) decisions.push(FNV32_OFFSET);
      decisions[decision] = mix(decisions[decision] as number, hash);
    }
    this.outcomes.sink(record);
  }

  private report(kind: Problem['kind'], name: string, pod: string, text: string): void {
    const { last, request } = this;
    const problem: Problem = {
      kind,
      name,
      pod,
      text,
      decision: this.subject?.kernel.steps ?? 0,
      seq: last?.seq ?? 0,
      time: last?.time ?? 0,
    };
    if (!this.problems.some((p) => sameProblem(p, problem))) this.problems.push(problem);
    if (request.stopAt && sameProblem(request.stopAt, problem)) this.stopped = true;
  }

  *go(): Generator<void, Trial> {
    const { subject, rules } = this;
    const { kernel } = subject;
    const { until = Number.POSITIVE_INFINITY, maxSteps } = rules;
    let ended = false;
    // The decision that was reached, and when in the loop.
    let reached = -1;
    let since = 0;
    try {
      for (let n = 1; !ended && !this.stopped; n++) {
        if (kernel.steps !== reached) {
          reached = kernel.steps;
          since = n;
        }
        if (subject.done || kernel.now() >= until) ended = true;
        else if (kernel.steps >= maxSteps) {
          this.report(
            'stuck',
            'no end',
            '',
            `the run has not ended after ${maxSteps} decisions, at ${kernel.now() / 1e6} s`,
          );
          break;
        } else if (n - since > IDLE) {
          this.report('stuck', 'nothing to do', '', 'no goroutine continues, and the run has not ended');
          break;
        } else if ((subject.step ? subject.step() : kernel.step()) === 'idle') {
          kernel.checkDeadlock();
          this.report('stuck', 'nothing to do', '', 'no goroutine can continue, and the run has not ended');
          break;
        }
        if (n % SLICE === 0) yield;
      }
    } catch (error) {
      if (error instanceof DeadlockError) this.report('deadlock', 'deadlock', '', error.message);
      else this.report('panic', 'panic', '', messageOf(error));
    }
    const outcome = this.outcomes.outcome(subject);
    if (!this.stopped) {
      for (const f of subject.failures) this.report('step', f.name, '', f.text);
      if (ended) this.assertions?.end();
    }
    const { decisions } = this;
    while (decisions && decisions.length <= kernel.steps) decisions.push(FNV32_OFFSET);
    return {
      seed: this.request.seed,
      deviations: this.noting?.deviations ?? [],
      names: this.noting?.names ?? [],
      hash: this.hash >>> 0,
      steps: kernel.steps,
      records: this.records,
      time: kernel.now(),
      outcome,
      problems: this.problems,
      points: this.noting?.points ?? [],
      decisions: decisions && Uint32Array.from(decisions),
    };
  }
}

/** The schedule of a trial, by itself. */
export const scheduleOf = ({ seed, deviations }: Schedule): Schedule => ({ seed, deviations: [...deviations] });
