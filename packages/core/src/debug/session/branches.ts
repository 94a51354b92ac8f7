import { defaultEra, type EraVersion } from '../../kubelet/era/versions.js';
import {
  actionInEnglish,
  actionName,
  type InputAction,
  type Micros,
  type NameLookup,
  type Seq,
} from '../../trace/index.js';
import type { BranchInfo } from '../protocol/branches.js';
import type { Position } from '../protocol/commands.js';
import type { RunSpec } from '../protocol/run-spec.js';
import type { Execution } from '../run/execution.js';
import { isBefore } from '../run/position.js';

/** The position at which a scenario opened, and the record that made it open there. */
export interface Opening extends Position {
  readonly record: Seq;
}

/** A branch. Its execution may be dropped, because it can be executed again. */
export class Branch {
  end: Position & { readonly time: Micros } = { step: 0, seq: 0, time: 0 };
  halted = '';
  /** The version of the kubelet. */
  readonly era: EraVersion;
  /** The same run in each version that was asked for, this one included. */
  family = new Map<EraVersion, Branch>();
  /** The position at which the scenario opened; null if it did not; undefined: the same as in the parent. */
  opening: Opening | null | undefined;
  private kept: RunSpec = { scenario: '' };
  private held: Execution | null = null;
  private called: string;
  private did: InputAction | undefined;

  constructor(
    readonly id: number,
    name: string,
    readonly parent: Branch | null,
    readonly forkedAt: Position,
    execution: Execution,
  ) {
    this.called = name;
    this.era = execution.run.simulation.era ?? defaultEra;
    this.family.set(this.era, this);
    this.execution = execution;
  }

  get name(): string {
    return this.called;
  }
  set name(name: string) {
    this.called = name;
    this.did = undefined;
  }
  /** Names it after the action that began it. */
  nameAfter(action: InputAction, lookup: NameLookup): void {
    // By the names of this moment: later the pod may be gone.
    const [what] = action.args;
    const pod = action.verb === 'kill' && typeof what === 'string' ? lookup.pod(what) : '';
    const did = pod === '' ? action : { verb: action.verb, args: [pod, ...action.args.slice(1)] };
    this.called = actionName(actionInEnglish, did, lookup);
    this.did = did;
  }

  get execution(): Execution | null {
    return this.held;
  }
  set execution(execution: Execution | null) {
    if (!execution && this.held) this.kept = this.held.spec;
    this.held = execution;
    if (execution) this.note();
  }
  /** Remembers how far it has come. */
  note(): void {
    if (!this.held) return;
    const { position, time, halted } = this.held;
    if (isBefore(position, this.end)) return;
    const further = isBefore(this.end, position);
    // One that was run again to its end has not tried to go on from there, nor let the clock go on.
    if (further || halted !== '') this.halted = halted;
    this.end = { ...position, time: further ? time : Math.max(time, this.end.time) };
  }
  get spec(): RunSpec {
    return this.held?.spec ?? this.kept;
  }

  describe(current: Branch): BranchInfo {
    this.note();
    const { id, name, did, era, parent, forkedAt, end, halted } = this;
    const version = era === defaultEra ? {} : { era };
    return {
      id,
      name,
      ...(did && { did }),
      ...version,
      parent: parent?.id ?? 0,
      forkedAt,
      end,
      halted,
      current: current === this,
    };
  }

  /** The position at which the scenario opened in this branch; null if it did not. */
  get opened(): Opening | null {
    if (this.opening !== undefined) return this.opening;
    return this.parent?.era === this.era ? this.parent.opened : null;
  }

  /** The branches from the first one down to this one. */
  get line(): readonly Branch[] {
    return [...(this.parent?.line ?? []), this];
  }
}

/** The most branches, and the most whose runs and records are kept; the others are executed again when needed. */
const MOST_BRANCHES = 200;
const MOST_AVAILABLE = 4;

/** The branches of a session. */
export class BranchList {
  /** The one used last is last. */
  private branches: Branch[] = [];
  private next = 1;

  get nextId(): number {
    return this.next;
  }
  mustHaveRoom(): void {
    if (this.branches.length >= MOST_BRANCHES)
      throw new Error(`there are ${MOST_BRANCHES} branches already: drop one that is not needed`);
  }
  add(name: string, parent: Branch | null, forkedAt: Position, execution: Execution): Branch {
    const branch = new Branch(this.next++, name, parent, forkedAt, execution);
    this.branches.push(branch);
    return branch;
  }
  /** The branch with this id. Throws an Error that lists the branches if none has it. */
  find(id: number): Branch {
    const found = this.branches.find((b) => b.id === id);
    if (found) return found;
    const all = [...this.branches].sort((a, b) => a.id - b.id).map((b) => `${b.id} (${b.name})`);
    throw new Error(`there is no branch ${id}; there are: ${all.join(', ')}`);
  }
  has(branch: Branch): boolean {
    return this.branches.includes(branch);
  }
  describe(current: Branch): BranchInfo[] {
    return [...this.branches].sort((a, b) => a.id - b.id).map((b) => b.describe(current));
  }
  rename(id: number, name: string): void {
    this.find(id).name = name;
  }
  /** Forgets a branch that is not the one in view. Those that left it stay. */
  drop(id: number, current: Branch): void {
    const branch = this.find(id);
    if (branch === current) throw new Error(`branch ${id} is the one in view: switch to another first`);
    this.branches.splice(this.branches.indexOf(branch), 1);
  }
  used(branch: Branch): void {
    this.branches.splice(this.branches.indexOf(branch), 1);
    this.branches.push(branch);
  }
  /** The last position at which two branches are known to be the same run. */
  divergence(one: number, other: number): Position {
    return divergence(this.find(one), this.find(other));
  }
  /** Drops the executions of all but the ones used last. */
  dropExecutions(current: Branch): void {
    const available = this.branches.filter((b) => b.execution);
    for (const b of available.slice(0, -MOST_AVAILABLE)) if (b !== current) b.execution = null;
  }
  /** Gives what makes it what it is now. */
  checkpoint(): () => void {
    const { next } = this;
    const branches = [...this.branches];
    return () => {
      this.branches = [...branches];
      this.next = next;
    };
  }
}

function divergence(a: Branch, b: Branch): Position {
  if (a === b) return a.end;
  const la = a.line;
  const lb = b.line;
  let i = 0;
  while (i < la.length && la[i] === lb[i]) i++;
  // A branch may have left its parent before the place where that left its own.
  const forks = [...la.slice(i), ...lb.slice(i)].map((branch) => branch.forkedAt);
  return forks.reduce((x, y) => (x.seq < y.seq || (x.seq === y.seq && x.step <= y.step) ? x : y));
}
