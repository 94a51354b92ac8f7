/**
 * A run of a twin that continues: as more of the observed run becomes known, its scenario is replaced, and what it has
 * done so far stays. It begins again only if what is known now contradicts what it did.
 */
import { generatedScenario, type Scenario, type ScenarioRun, startScenario } from '@syncloop/core/scenario';
import type { Micros, TraceRecord } from '@syncloop/core/trace';
import type { TwinScenario } from '../base/types.js';
import { scenarioOfTwin } from '../make/scenario-of-twin.js';

type Action = Scenario['steps'][number]['action'];
interface Timed {
  readonly at: Micros;
  readonly action: Action;
  readonly text: string;
}

export class LiveRun {
  readonly records: TraceRecord[] = [];
  private readonly run: ScenarioRun;
  private readonly ground: string;
  private readonly done: string[] = [];
  private readonly start: Micros;

  /** Runs up to `until`, on the twin's own clock. Throws a ScenarioError if the text is not a scenario. */
  constructor(
    twin: TwinScenario,
    private until: Micros,
    seed = 1,
    redact: (record: TraceRecord) => TraceRecord = (record) => record,
  ) {
    this.start = twin.seenFrom;
    const scenario = scenarioOf(twin);
    this.ground = groundOf(scenario);
    this.run = startScenario(
      { ...scenario, steps: [], expect: [] },
      { seed, sink: (record) => void this.records.push(redact(record)) },
    );
    this.to(stepsOf(scenario), until);
  }

  /** Advances to `until` with the present knowledge. Returns false, and does nothing, if it cannot. */
  goOn(twin: TwinScenario, until: Micros): boolean {
    if (twin.seenFrom !== this.start || until < this.until) return false;
    const scenario = scenarioOf(twin);
    if (groundOf(scenario) !== this.ground) return false;
    const steps = stepsOf(scenario);
    const past = steps.filter(({ at }) => at <= this.until);
    if (past.length !== this.done.length || past.some((step, i) => keyOf(step) !== this.done[i])) return false;
    this.run.mock.replaceScript(scenario);
    this.to(steps.slice(past.length), until);
    this.until = until;
    return true;
  }

  private to(steps: readonly Timed[], until: Micros): void {
    const { run } = this;
    for (const step of steps) {
      if (step.at > until) break;
      this.reach(step.at);
      run.act(step.action);
      this.done.push(keyOf(step));
    }
    this.reach(until);
  }
  private reach(time: Micros): void {
    const { kernel } = this.run;
    this.run.run({ until: time });
    if (kernel.now() < time && !kernel.nextRunnable) kernel.clock.advanceTo(time);
  }
}

/** The scenario of a twin without its text, which a run does not need. */
const scenarioOf = (twin: TwinScenario): Scenario =>
  twin.document === undefined ? scenarioOfTwin(twin) : generatedScenario(twin.document, '');

const keyOf = ({ at, text }: Timed): string => `${at} ${text}`;

/** The parts of a scenario that a run takes at its start, and that cannot be replaced later. */
function groundOf(scenario: Scenario): string {
  const { steps: _s, lives: _l, calls: _c, text: _t, expect: _e, title: _n, summary: _m, ...ground } = scenario;
  return JSON.stringify(ground);
}

function stepsOf({ steps }: Scenario): Timed[] {
  const out: Timed[] = [];
  let at = 0;
  for (const { action } of steps) {
    if (action.verb === 'wait') at = 'until' in action ? action.until : at + action.duration;
    else out.push({ at, action, text: JSON.stringify(action) });
  }
  return out;
}
