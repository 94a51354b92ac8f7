import {
  type Go,
  Kernel,
  Millisecond,
  messageOf,
  type Policy,
  Second,
  type StepResult,
  seeded,
  sleep,
} from '../kernel/index.js';
import type { KubeletConfig } from '../kubelet/config.js';
import type { Kubelet } from '../kubelet/kubelet.js';
import type { MockRuntime } from '../mock/index.js';
import type { Json, Micros, RecordSink } from '../trace/index.js';
import { ScenarioError } from './errors.js';
import { SimulatedNode } from './node.js';
import { outside } from './outside.js';
import type { Action, Scenario, Step } from './scenario.js';

export interface ScenarioRunOptions {
  /** Default: the scenario's own. */
  readonly seed?: number;
  /** Default: selects draw by the seed, goroutines go first come first served. */
  readonly policy?: Policy;
  readonly sink?: RecordSink;
}

/** A step that could not be done, or whose condition did not come true. */
export interface StepFailure {
  /** From 0. */
  readonly step: number;
  readonly text: string;
  readonly line: number;
  readonly time: Micros;
  readonly message: string;
}

/** How often a waitFor looks. */
const lookEvery = 100 * Millisecond;
/** A kubelet has begun to work when the first step comes. */
const startUp = Second;

/** Starts a scenario: a node with a kubelet, and the driver that performs the steps. Nothing moves before `step` or `run`. */
export function startScenario(scenario: Scenario, options: ScenarioRunOptions = {}): ScenarioRun {
  return new ScenarioRun(scenario, options);
}

/**
 * A scenario that runs. It is a function of scenario, seed and choices: the same give the same records, to the byte.
 * `apply`, `kill` and the like act at once and are for use between two steps; they leave no `input` record themselves.
 */
export class ScenarioRun {
  readonly kernel: Kernel;
  readonly node: SimulatedNode;
  readonly seed: number;
  private readonly failed: StepFailure[] = [];
  private finished = false;
  /** Index of the step that goes on. */
  private at = -1;

  constructor(
    readonly scenario: Scenario,
    options: ScenarioRunOptions,
  ) {
    this.seed = options.seed ?? scenario.seed;
    this.kernel = new Kernel({
      seed: this.seed,
      policy: options.policy ?? seeded(this.seed),
      ...(options.sink && { sink: options.sink }),
    });
    this.node = new SimulatedNode(this.kernel, {
      config: { staticPodPath: '/etc/kubernetes/manifests', ...scenario.node },
      runtime: {
        images: scenario.images,
        registry: Object.fromEntries(scenario.registry.map((r) => [r.ref, r.behaviour])),
      },
    });
    this.node.startKubelet();
    this.kernel.go('scenario', () => this.drive(), { process: this.kernel.process('scenario'), quiet: true });
  }

  get mock(): MockRuntime {
    return this.node.mock;
  }
  /** The kubelet that runs, or ran last. */
  get kubelet(): Kubelet {
    return this.node.kubelet as Kubelet;
  }
  get config(): KubeletConfig {
    return this.node.config;
  }
  /** The driver has done its last step; the node goes on. */
  get done(): boolean {
    return this.finished;
  }
  get failures(): readonly StepFailure[] {
    return this.failed;
  }
  get outcome(): 'running' | 'passed' | 'failed' {
    return this.failed.length > 0 ? 'failed' : this.finished ? 'passed' : 'running';
  }
  /** The step that is being done; null before the first and after the last. */
  get currentStep(): Step | null {
    return this.finished ? null : (this.scenario.steps[this.at] ?? null);
  }

  /** One scheduler decision. */
  step(): StepResult {
    return this.kernel.step();
  }
  /** Runs until the driver is done, or up to `until` (Micros). */
  run(options: { until?: Micros; maxSteps?: number } = {}): StepResult {
    return this.kernel.run({ ...options, ...(options.until === undefined && { stop: () => this.finished }) });
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
  /** `pod` by uid or name. Throws a ScenarioError that says what there is instead. */
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
    yield* sleep(startUp);
    for (this.at = 0; this.at < steps.length; this.at++) {
      const step = steps[this.at] as Step;
      try {
        yield* this.perform(step.action);
      } catch (error) {
        if (!(error instanceof ScenarioError) && !(error instanceof TypeError)) throw error;
        const message = `step ${this.at + 1} (${step.text}), line ${step.line}: ${messageOf(error)}`;
        this.failed.push({ step: this.at, text: step.text, line: step.line, time: this.kernel.now(), message });
        this.kernel.emit({ kind: 'input', verb: 'failed', args: [message] });
        break;
      }
    }
    this.finished = true;
  }

  private *perform(a: Action): Go<void> {
    const { node, kernel } = this;
    const { mock } = node;
    const act = (args: readonly Json[], fn: () => void) => outside(kernel, a.verb, args, fn);
    switch (a.verb) {
      case 'wait':
        yield* sleep(a.duration);
        return;
      case 'waitFor': {
        const until = kernel.now() + a.timeout;
        while (!node.holds(a.condition)) {
          if (kernel.now() >= until)
            throw new ScenarioError(`not within ${a.timeout / Second}s: ${node.describePod(a.condition.pod)}`);
          yield* sleep(Math.min(lookEvery, until - kernel.now()));
        }
        return;
      }
      case 'apply':
        yield* act([a.file], () => node.putManifest(a.file, a.text));
        return;
      case 'delete': {
        const file = node.manifests().some((m) => m.file === a.name) ? a.name : `${a.name}.yaml`;
        yield* act([file], () => node.removeManifest(file));
        return;
      }
      case 'raw':
        yield* act([a.file], () => node.writeManifest(a.file, a.text));
        return;
      case 'rmraw':
        yield* act([a.file], () => node.removeManifest(a.file));
        return;
      case 'kill':
        yield* act([a.pod, a.container], () => node.kill(a.pod, a.container, a.signal));
        return;
      case 'killSandbox':
        yield* act([a.pod], () => node.kill(a.pod));
        return;
      case 'oom':
        yield* act([a.pod, a.container], () => {
          if (!mock.oom(a.pod, a.container))
            throw new ScenarioError(`pod "${a.pod}" has no running container "${a.container}"`);
        });
        return;
      case 'exec':
        kernel.emitCause({ kind: 'input', verb: a.verb, args: [a.pod, a.container, ...a.command] });
        try {
          yield* mock.exec(a.pod, a.container, a.command);
        } catch (error) {
          throw new ScenarioError(messageOf(error));
        }
        return;
      case 'fault':
        yield* act([a.rule as unknown as Json], () => void mock.faults.add(a.rule));
        return;
      case 'clearFaults':
        yield* act([], () => mock.faults.clear());
        return;
      case 'network':
        yield* act([a.ready ? 'ready' : 'notReady'], () => mock.setNetworkReady(a.ready));
        return;
      case 'addImage':
        yield* act([a.image.ref], () => mock.addImage(a.image));
        return;
      case 'removeImage':
        yield* act([a.ref], () => {
          if (!mock.removeImage(a.ref)) throw new ScenarioError(`the node has no image ${a.ref}`);
        });
        return;
      case 'registry':
        yield* act([a.ref, a.behaviour.kind], () => mock.setRegistry(a.ref, a.behaviour));
        return;
      case 'stopKubelet':
        yield* act([], () => node.stopKubelet());
        return;
      case 'startKubelet':
        yield* act([], () => node.startKubelet());
        return;
      case 'restartKubelet':
        yield* act([], () => {
          node.stopKubelet();
          node.startKubelet();
        });
        return;
      case 'stopRuntime':
        yield* act([], () => mock.stop());
        return;
      case 'startRuntime':
        yield* act([], () => mock.start());
        return;
    }
  }
}
