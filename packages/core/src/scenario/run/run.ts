import { messageOf } from '../../base/index.js';
import type { CRIServices } from '../../cri/index.js';
import {
  type Go,
  Kernel,
  Millisecond,
  type Policy,
  Second,
  type StepResult,
  seeded,
  sleep,
} from '../../kernel/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../../kubelet/config.js';
import { defaultEra, type EraVersion } from '../../kubelet/era/index.js';
import type { Kubelet } from '../../kubelet/kubelet.js';
import { type KubeletParts, type PartSources, partsOf } from '../../kubelet/parts/index.js';
import type { MockRuntime } from '../../mock/index.js';
import type { Json, Micros, RecordSink } from '../../trace/index.js';
import { ScenarioError } from '../document/errors.js';
import type { NodeFault } from '../document/fault-types.js';
import type { Action, ActionOf, Scenario, Step } from '../document/scenario.js';
import { Watches } from '../expectations/watch.js';
import { NodeFaults } from '../faults/faults.js';
import type { ApiServer } from '../node/api-server.js';
import { JumpingClock } from '../node/clock.js';
import { SimulatedNode } from '../node/node.js';
import { outside } from '../node/outside.js';
import { act, actionArgs, type Stage } from './act.js';
import { withKnownGates } from './era-notes.js';

export interface ScenarioRunOptions {
  /** Default: the scenario's own. */
  readonly seed?: number;
  /** The version of the kubelet, which must be loaded. Default: the scenario's own. */
  readonly era?: EraVersion;
  /** Default: selects draw by the seed, goroutines go first come first served. */
  readonly policy?: Policy;
  readonly sink?: RecordSink;
  /** Stands between the kubelet's CRI client and the runtime. */
  readonly tap?: (services: CRIServices) => CRIServices;
}

/** A step that could not be done, or whose condition did not come true; or an expectation that is not met. */
export interface StepFailure {
  /** From 0; expectations count on after the last step. */
  readonly step: number;
  readonly text: string;
  readonly line: number;
  readonly time: Micros;
  readonly message: string;
}

/** Loads the parts' code. Throws a ScenarioError that says where the code is wrong. */
function partsFor(kernel: Kernel, sources: PartSources): KubeletParts {
  try {
    return partsOf(kernel, sources);
  } catch (error) {
    throw new ScenarioError(messageOf(error));
  }
}

/** The time between two looks of a waitFor. */
const lookEvery = 100 * Millisecond;
/** A kubelet has begun to work when the first step comes, unless the scenario says itself when that is. */
const startUp = Second;

function saysWhen({ startKubelet, steps }: Scenario): boolean {
  const first = steps[0]?.action;
  return !startKubelet || (first?.verb === 'wait' && 'until' in first);
}

/** Makes the API server of a scenario that has one. */
export type MakeApiServer = (...args: ConstructorParameters<typeof ApiServer>) => ApiServer;

/**
 * Starts a scenario: a node with a kubelet, and the driver that performs the steps. Nothing moves before `step` or
 * `run`. The API server is not imported here: it is much code, and few scenarios have one.
 */
export function startScenarioWith(
  makeApi: MakeApiServer,
  scenario: Scenario,
  options: ScenarioRunOptions = {},
): ScenarioRun {
  return new ScenarioRun(makeApi, scenario, options);
}

/** Does an action between two steps; see `ScenarioRun.act`. */
export function performAction(run: ScenarioRun, action: Action): void {
  const { kernel } = run;
  kernel.post(() => {
    kernel.emitCause({ kind: 'input', verb: action.verb, args: run.argsOf(action) });
    run.actNow(action);
  });
}

/**
 * A scenario that runs. It is a function of scenario, seed and choices: the same give the same records, to the byte.
 * `apply`, `kill` and the like act at once and are for use between two steps; they leave no `input` record themselves.
 */
export class ScenarioRun {
  readonly kernel: Kernel;
  readonly node: SimulatedNode;
  readonly seed: number;
  /** The version of the kubelet. */
  readonly era: EraVersion;
  /** It is not the version that the scenario was written for: its expectations are not looked at. */
  readonly ofAnotherEra: boolean;
  /** The API server, if the scenario has one. */
  readonly api: ApiServer | null;
  private readonly faults: NodeFaults;
  private readonly stage: Stage;
  private readonly failed: StepFailure[] = [];
  private finished = false;
  private rests = false;
  /** Index of the step that goes on. */
  private at = -1;

  constructor(
    makeApi: MakeApiServer,
    readonly scenario: Scenario,
    options: ScenarioRunOptions,
  ) {
    this.seed = options.seed ?? scenario.seed;
    const { startAt } = scenario;
    const clock = new JumpingClock(startAt === undefined ? {} : { epochMillis: startAt / 1000 });
    this.kernel = new Kernel({
      clock,
      seed: this.seed,
      policy: options.policy ?? seeded(this.seed),
      ...(options.sink && { sink: options.sink }),
    });
    const watches = new Watches(scenario, () => this.node);
    if (!watches.idle) this.kernel.addSink(watches.take);
    const { seed } = this;
    const config = { staticPodPath: '/etc/kubernetes/manifests', ...scenario.node };
    const nodeName = config.nodeName ?? defaultKubeletConfig().nodeName;
    this.api = scenario.apiServer ? makeApi(this.kernel, nodeName, seed) : null;
    const written = scenario.era ?? defaultEra;
    this.era = options.era ?? written;
    this.ofAnotherEra = this.era !== written;
    this.rests = this.ofAnotherEra;
    this.node = new SimulatedNode(this.kernel, {
      era: this.era,
      ...(this.api && { api: this.api }),
      config: this.ofAnotherEra ? withKnownGates(config, this.era) : config,
      ...(options.tap && { tap: options.tap }),
      // Its code is of today's kubelet.
      ...(scenario.parts && !this.ofAnotherEra && { parts: partsFor(this.kernel, scenario.parts) }),
      ...(scenario.devicePlugins && { devicePlugins: scenario.devicePlugins }),
      runtime: {
        ...scenario.machine,
        images: scenario.images,
        registry: Object.fromEntries(scenario.registry.map((r) => [r.ref, r.behaviour])),
        lives: scenario.lives,
        calls: scenario.calls,
      },
    });
    this.faults = new NodeFaults({ node: this.node, clock, api: this.api, seed });
    this.stage = { node: this.node, faults: this.faults, api: this.api, watches };
    if (scenario.startKubelet) this.node.startKubelet();
    this.kernel.go('scenario', () => this.drive(), { process: this.kernel.process('scenario'), quiet: true });
  }

  get mock(): MockRuntime {
    return this.node.mock;
  }
  /** The kubelet that runs, or ran last; null before the first start. */
  get kubelet(): Kubelet | null {
    return this.node.kubelet;
  }
  get config(): KubeletConfig {
    return this.node.config;
  }
  /** True once the driver has done its last step; the node goes on. */
  get done(): boolean {
    return this.finished;
  }
  get failures(): readonly StepFailure[] {
    return this.failed;
  }
  /**
   * Marks that a person changed this run, by an action or a choice: its expectations are those of the untouched one, so
   * from now on they are not looked at, and a step that cannot be done any more is not a failure.
   */
  rest(): void {
    this.rests = true;
  }
  get outcome(): 'running' | 'passed' | 'failed' | 'resting' {
    if (this.rests) return 'resting';
    return this.failed.length > 0 ? 'failed' : this.finished ? 'passed' : 'running';
  }

  /** One scheduler decision. */
  step(): StepResult {
    return this.kernel.step();
  }
  /** Runs until the driver is done, or up to `until` (Micros). */
  run(options: { until?: Micros; maxSteps?: number } = {}): StepResult {
    return this.kernel.run({ ...options, ...(options.until === undefined && { stop: () => this.finished }) });
  }

  /**
   * Does a thing between two steps, as somebody from outside: any step that takes no time. Leaves an `input` record,
   * and what follows is caused by it. Throws a ScenarioError that says what there is instead if it cannot be done.
   */
  act(action: Action): void {
    performAction(this, action);
  }
  /** @internal The same without a record. */
  actNow(action: Action): void {
    act(this.stage, action);
  }
  /** Arguments that the `input` record of an action has. */
  argsOf(action: Action): readonly Json[] {
    return actionArgs(action, this.node);
  }
  /** Faults that are there or will be, oldest first. */
  activeFaults(): readonly NodeFault[] {
    return this.faults.list();
  }
  apply(text: string, file: string): void {
    this.node.putManifest(file, text);
  }
  deleteManifest(file: string): void {
    this.node.removeManifest(file);
  }
  manifests(): { file: string; text: string }[] {
    return this.node.manifests();
  }
  /**
   * Kills a pod's container or sandbox. `pod` by uid or name. Throws a ScenarioError that says what there is instead.
   */
  kill(pod: string, container?: string): void {
    this.node.kill(pod, container);
  }
  stopKubelet(): void {
    this.node.stopKubelet();
  }
  startKubelet(): void {
    this.node.startKubelet();
  }

  // --- the driver ----------------------------------------------------------------------------------------------------

  private *drive(): Go<void> {
    const { steps } = this.scenario;
    if (!saysWhen(this.scenario)) yield* sleep(startUp);
    for (this.at = 0; this.at < steps.length; this.at++) {
      const step = steps[this.at] as Step;
      try {
        yield* this.perform(step.action);
      } catch (error) {
        if (!(error instanceof ScenarioError) && !(error instanceof TypeError)) throw error;
        this.fail(this.at, step, `step ${this.at + 1}`, messageOf(error));
        // Another version may never meet an expectation, and the other steps do not depend on it.
        if (this.ofAnotherEra && /^(waitFor|assert)$/.test(step.action.verb)) continue;
        if (this.scenario.continueOnError) continue;
        break;
      }
    }
    // After a step that failed the others did not happen: what is expected of them says nothing.
    if (this.failed.length === 0 && !this.rests) this.checkExpectations();
    this.finished = true;
  }

  private checkExpectations(): void {
    const { expect, steps } = this.scenario;
    for (const [i, expected] of expect.entries()) {
      const problem = this.stage.watches.problem(expected.expectation);
      if (problem !== null) this.fail(steps.length + i, expected, 'expect', problem);
    }
  }

  private fail(step: number, { text, line }: { text: string; line: number }, what: string, why: string): void {
    if (this.rests) return;
    const message = `${what} (${text}), line ${line}: ${why}`;
    this.failed.push({ step, text, line, time: this.kernel.now(), message });
    this.kernel.emit({ kind: 'input', verb: 'failed', args: [message] });
  }

  private *perform(a: Action): Go<void> {
    const { kernel } = this;
    switch (a.verb) {
      case 'wait':
        yield* sleep('until' in a ? Math.max(0, a.until - kernel.now()) : a.duration);
        return;
      case 'waitFor':
        yield* this.waitFor(a);
        return;
      case 'assert':
        this.actNow(a);
        return;
      case 'exec':
        kernel.emitCause({ kind: 'input', verb: a.verb, args: this.argsOf(a) });
        try {
          yield* this.mock.exec(a.pod, a.container, a.command);
        } catch (error) {
          throw new ScenarioError(messageOf(error));
        }
        return;
      default:
        yield* outside(kernel, a.verb, this.argsOf(a), () => this.actNow(a));
    }
  }

  private *waitFor({ expectation, timeout, fresh }: ActionOf<'waitFor'>): Go<void> {
    const { kernel } = this;
    const { watches } = this.stage;
    const until = kernel.now() + timeout;
    if (fresh) watches.reset(expectation);
    for (;;) {
      if (watches.isMet(expectation)) return;
      if (kernel.now() >= until)
        throw new ScenarioError(`not within ${timeout / Second}s: ${watches.problem(expectation)}`);
      yield* sleep(Math.min(lookEvery, until - kernel.now()));
    }
  }
}
