import type { Json, Seq } from '../../trace/index.js';
import type { BreakpointStatus, Hit } from '../breakpoints/index.js';
import type { Density, Found, RunWindow } from '../density/index.js';
import type { FindingsAnswer, Overview } from '../findings/index.js';
import type { IncidentsAnswer } from '../incidents/index.js';
import type { Change, FieldValue } from '../inspect/index.js';
import type { Answer } from '../why/index.js';
import type { BranchInfo, Comparison } from './branches.js';
import type { Command, CommandName } from './commands.js';
import type { SessionReport } from './exploring.js';
import type { ContainerLog, ManifestFile, NodeObjects, ScenarioEntry } from './objects.js';
import type { EraAnswer, LoadStopped, UntilResult } from './protocol.js';
import type { RunUpTo } from './run-spec.js';

/**
 * The answer of a session to each command that has one, as JSON. The handlers of sessions and the clients' calls have
 * their types from here; rooms above this one add theirs to this interface.
 */
export interface Results {
  /** The file that was written. */
  apply: { readonly file: string };
  until: UntilResult;
  manifests: readonly ManifestFile[];
  objects: NodeObjects;
  logs: ContainerLog;
  /** Set if the load was stopped on its way. */
  load: LoadStopped | undefined;
  restart: LoadStopped | undefined;
  /** The breakpoints as they are now. */
  breakpoints: readonly BreakpointStatus[];
  /** The goroutines that could go next, in their order. */
  runnable: readonly { readonly id: number; readonly name: string }[];
  branches: readonly BranchInfo[];
  era: EraAnswer;
  compare: Comparison;
  explore: SessionReport;
  /** The branch's id. */
  branchTo: number;
  /** The run up to here, as `load` takes it. */
  spec: RunUpTo;
  why: Answer;
  whyNot: Answer;
  /** The records at which the breakpoint was met. */
  search: readonly Hit[];
  /** The values of a field of the state, the oldest first. */
  history: readonly FieldValue[];
  /** The record that last wrote a field, or null. */
  lastWriter: Seq | null;
  diff: readonly Change[];
  findings: FindingsAnswer;
  incidents: IncidentsAnswer;
  overview: Overview;
  density: Density;
  find: Found;
  window: RunWindow;
  /** `story` is the `FleetStory` of the observer. */
  fleet: { readonly story: Json; readonly shown: string };
  /** The id of the session that shows the node. */
  node: { readonly id: string };
  /** In the order to list them. */
  scenarios: readonly ScenarioEntry[];
}

/** The result of a command by its name; undefined for a command that is only done. */
export type ResultNamed<K extends CommandName> = K extends keyof Results ? Results[K] : undefined;
/** The result of a command. */
export type ResultOf<C extends { readonly do: Command['do'] }> = ResultNamed<C['do']>;
