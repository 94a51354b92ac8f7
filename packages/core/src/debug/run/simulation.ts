import type { Kernel, StepResult } from '../../kernel/index.js';
import type { EraVersion } from '../../kubelet/index.js';
import type { EraNote } from '../../scenario/index.js';
import type { Json, NodeState, RecordSink, TraceRecord } from '../../trace/index.js';
import type { Start } from '../explore/index.js';
import type { CommandOf, InterventionCommand } from '../protocol/commands.js';
import type { ContainerLog, ManifestFile, NodeObjects, ScenarioEntry, ScenarioOutcome } from '../protocol/objects.js';
import type { RunSpec } from '../protocol/run-spec.js';

/**
 * Does each intervention at once, with an `input` record that reports it (see fromOutside). One throws an Error with
 * the reason if it cannot be done; one that is absent is not possible in this simulation.
 */
export type Interventions = {
  readonly [K in InterventionCommand['do']]?: (command: CommandOf<K>) => void;
};

/** A running simulation, as the session drives it. */
export interface Simulation {
  readonly kernel: Kernel;
  readonly title: string;
  /** The title by language, if it has one in several. */
  readonly titles?: { readonly [lang: string]: string };
  readonly runtime: string;
  /** The version of the kubelet, if it is not v1.36. */
  readonly era?: EraVersion;
  /** The version that the scenario is written for, if another one runs. */
  readonly writtenFor?: EraVersion;
  /** The parts of the scenario that this version cannot do. */
  readonly eraNotes?: readonly EraNote[];
  readonly node: string;
  readonly seed: number;
  /** One scheduler decision. Default: the kernel's own. */
  step?(): StepResult;
  /** Returns the manifest files in the static pod folder. */
  manifests(): readonly ManifestFile[];
  /** A number that changes with each change of them. Without it the run is executed again to tell what they were. */
  manifestsVersion?(): number;
  /** Returns the objects on the node and in its API server, as API objects. */
  objects?(): NodeObjects;
  /** Returns the log of a container so far, from a line on. Throws an Error if there is no such container. */
  log?(id: string, from?: number): ContainerLog;
  /** The interventions that are possible. */
  readonly interventions: Interventions;
  /** Says why the kubelet could not read this manifest: place and remedy; null if it could. */
  check?(text: string, file: string): string | null;
  /** Returns true if the simulation opens after the decision that made this record. */
  opensAt?(record: TraceRecord, state: NodeState): boolean;
  /** Called when a person has changed the run, by an intervention or a choice: its expectations rest from now on. */
  rest?(): void;
  /** Returns the results of the scenario's own steps and expectations so far. */
  outcome?(): ScenarioOutcome;
  /** Returns true once all steps of the scenario are done; what follows is what the node does by itself. */
  stepsDone?(): boolean;
  /** Returns true if the scenario has nothing more to show and may stop. */
  done?(): boolean;
}

/** Lists scenarios and starts simulations of them. */
export interface SimulationSource {
  list(): readonly ScenarioEntry[];
  /** Throws an Error that says what is wrong with the name or the text. */
  start(request: {
    readonly scenario: string;
    readonly text?: string;
    readonly seed?: number;
    /** The version of the kubelet, whose code is loaded. Default: the scenario's own. */
    readonly era?: EraVersion;
    readonly sink: RecordSink;
  }): Simulation;
  /** The same run is available with another version of the kubelet. */
  readonly eras?: boolean;
  /**
   * A run as it is to be begun, if its scenario's text has more to say of it: see `runOfText`. Default: as it was
   * asked for.
   */
  open?(spec: RunSpec): RunSpec;
  /**
   * Runs of a scenario under schedules of one's own, with what was done in it from outside. Without it nothing can be
   * explored.
   */
  subject?(run: Pick<RunSpec, 'scenario' | 'text' | 'era' | 'interventions'>): Start;
}

/** Does an action from outside: a record says so, and what follows is caused by it. */
export function fromOutside(kernel: Kernel, verb: string, args: readonly Json[], act: () => void): void {
  kernel.post(() => {
    kernel.emitCause({ kind: 'input', verb, args });
    act();
  });
}

/** Throws an Error that says which manifest files there are, if this one is not among them. */
export function mustHaveManifest(simulation: Pick<Simulation, 'manifests'>, file: string): void {
  const files = simulation.manifests().map((m) => m.file);
  if (!files.includes(file)) throw new Error(`there is no manifest ${file}; there are: ${files.join(', ') || 'none'}`);
}
