import { messageOf } from '../../base/index.js';
import { compile } from '../../expression/index.js';
import { Stopped, type Work } from '../base/work.js';
import { type Assertions, Exploration, type ExploreFinding } from '../explore/index.js';
import { answered, type CommandResult } from '../protocol/backend.js';
import type { Command } from '../protocol/commands.js';
import type { Exploring, SessionFinding, SessionReport } from '../protocol/exploring.js';
import type { SimulationSource } from '../run/simulation.js';
import { addBranchTo } from './branching.js';
import type { TimeTravel } from './time-travel.js';

/** Schedules of an exploration that does not say how many. */
const SCHEDULES = 200;
/** Most findings that become branches. */
const MOST_BRANCHES = 20;

/**
 * Explores, in slices, the runs that may follow the place where a session stands: the run up to there is the same in
 * each schedule, and the strategy decides about the rest. The session itself does not move; findings become branches.
 */
export class ExploreRun {
  private readonly exploration: Exploration;
  private readonly most: number;
  private answered = false;

  /** Throws an Error that says what is wrong with the command, or that there is nothing to explore. */
  constructor(
    source: SimulationSource,
    private readonly travel: TimeTravel,
    seed: number,
    command: Extract<Command, { do: 'explore' }>,
    private readonly reply: (result: CommandResult) => void,
  ) {
    if (!source.subject) throw new Error('simulations of this kind cannot be explored: load a scenario');
    const { schedules = SCHEDULES, strategy: kind = 'random', until, vary, stopAtFirst = false } = command;
    const assertions = assertionsOf(command);
    const { deviations = [], ...spec } = travel.spec;
    this.most = schedules;
    this.exploration = new Exploration({
      ...assertions,
      start: source.subject(spec),
      seed,
      strategy: { kind },
      branch: deviations,
      after: travel.position.step,
      maxSchedules: schedules,
      stopAtFirst,
      ...(command.invariants && { invariants: command.invariants }),
      ...(vary && { vary }),
      ...(until !== undefined && { until }),
    });
  }

  get progress(): Exploring {
    const { schedules, findings } = this.exploration.report();
    return { schedules, of: this.most, findings: findings.length };
  }

  /** Goes on until `expired`. Returns false when it is over: then it is to be finished. */
  step(expired: () => boolean): boolean {
    try {
      return this.exploration.step({ expired });
    } catch (error) {
      this.answer({ ok: false, error: messageOf(error) });
    }
    return false;
  }

  /** Makes branches of what was found, and answers; if that is stopped, with the branches made by then. */
  *finish(): Work {
    if (this.answered) return;
    const report = this.exploration.report();
    const findings: SessionFinding[] = [...report.findings];
    try {
      for (const [n, finding] of report.findings.slice(0, MOST_BRANCHES).entries()) {
        const branch = yield* this.branchOf(finding);
        if (branch !== null) findings[n] = { ...finding, branch };
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    this.answer(answered({ ...report, findings } satisfies SessionReport));
  }

  private *branchOf({ problem, schedule, shrunk }: ExploreFinding): Work<number | null> {
    const { decision, seq } = shrunk?.problem ?? problem;
    try {
      const { deviations } = shrunk ?? schedule;
      const { kind, name } = problem;
      // An expression is not a name for people.
      const foundBy = { verb: 'explored', args: kind === 'invariant' ? [kind, name] : [kind] } as const;
      return yield* addBranchTo(this.travel, foundBy, deviations, { step: decision, seq });
    } catch (error) {
      if (error instanceof Stopped) throw error;
      // There are too many branches, or it cannot be repeated: then its schedule is all there is.
      return null;
    }
  }

  private answer(result: CommandResult): void {
    if (this.answered) return;
    this.answered = true;
    this.reply(result);
  }
}

/** The assertions of an `explore`. Throws an Error that names the expression that cannot be parsed. */
function assertionsOf(command: Extract<Command, { do: 'explore' }>): Assertions {
  for (const key of ['never', 'finally'] as const)
    for (const [i, source] of (command[key] ?? []).entries()) {
      try {
        compile(source);
      } catch (error) {
        throw new Error(`${key}[${i}]: ${messageOf(error)}`);
      }
    }
  return { ...(command.never && { never: command.never }), ...(command.finally && { finally: command.finally }) };
}
