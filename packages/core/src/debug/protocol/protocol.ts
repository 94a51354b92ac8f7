/**
 * The session protocol: one set of messages for a Web Worker's port, a socket and a recording. Messages are plain JSON.
 * A client says hello, gets a welcome, then records in dense order; it acknowledges what it has taken, and asks for
 * things by command.
 */

import type { EraVersion } from '../../kubelet/index.js';
import type { EraNote } from '../../scenario/index.js';
import type { Decisions, Json, Micros, Millis, NodeState, Seq, TraceRecord } from '../../trace/index.js';
import type { Progress } from '../base/work.js';
import type { Hit } from '../breakpoints/index.js';
import type { Capabilities } from './capabilities.js';
import type { Command, Position, Speed } from './commands.js';
import type { Exploring } from './exploring.js';
import type { ScenarioOutcome } from './objects.js';
import type { TwinSide } from './twin-sides.js';

export { type TwinSide, twinSides } from './twin-sides.js';

export const PROTOCOL_VERSION = 1;

export interface SessionInfo {
  readonly id: string;
  /** "Simulation: hello", "Node node1 on containerd 2.1". */
  readonly title: string;
  /** The title by language, if it has one in several. */
  readonly titles?: { readonly [lang: string]: string };
  readonly capabilities: Capabilities;
  readonly scenario: string;
  readonly seed: number;
  readonly runtime: string;
  /** The version of a simulated kubelet, or the nearest one to an observed kubelet's, if it is not v1.36. */
  readonly era?: EraVersion;
  /**
   * The version that the scenario is written for, if another one runs: its expectations are not looked at, and have
   * no verdict.
   */
  readonly writtenFor?: EraVersion;
  /** The parts of the scenario that this version cannot do, such as fields of pods that it leaves out. */
  readonly eraNotes?: readonly EraNote[];
  readonly node: string;
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: Millis;
  /** Minutes that the local time of an observed kubelet's log is ahead of UTC. */
  readonly zoneMinutes?: number;
  readonly virtual: boolean;
  /**
   * The position at which the scenario opened, which is where its story begins, and the record that made it open there.
   * Absent if it opened before its first decision.
   */
  readonly opened?: Position & { readonly record: Seq };
}

export interface RunState {
  readonly running: boolean;
  readonly seq: Seq;
  readonly time: Micros;
  /** Scheduler decisions so far. */
  readonly steps: Decisions;
  readonly iterations: number;
  readonly speed: Speed;
  /** Set while the policy asks which way to go. */
  readonly choice: { readonly kind: 'goroutine' | 'select'; readonly options: readonly string[] } | null;
  /** The next event: the goroutine that goes next and, for the loop, the channel that is ready. '' if unknown. */
  readonly next: string;
  /** The error at which it stands still, '' if there is none. */
  readonly stopped: string;
  /** Breakpoints that it is at. */
  readonly hits?: readonly Hit[];
  /** The result of the scenario, as far as it has been run in this branch. */
  readonly outcome?: ScenarioOutcome;
  /** While it explores: how far it has come. */
  readonly exploring?: Exploring;
  /**
   * It is on its way, as fast as it can, to where a step, a `go` or an `until` ends: its present place is not a stop.
   */
  readonly going?: true;
  /** While a command takes its time: which one, and how far it has come. Until then all else is as it was before it. */
  readonly busy?: Busy;
  /** Branch that it is in, and the furthest that is known of it. */
  readonly branch?: number;
  readonly end?: Position & { readonly time: Micros };
  /** While what it shows is read, and after: bytes read of so many, if that is known, and records made of them. */
  readonly reading?: {
    readonly read: number;
    readonly total: number | null;
    readonly ended: boolean;
    readonly records: number;
  };
  /** Set for an observed run that a twin can re-enact, or re-enacts. */
  readonly twin?: TwinState;
}

/** An observed run and the twin that re-enacts it. */
export interface TwinState {
  /** The side that is shown. */
  readonly side: TwinSide;
  /** The number of twins made so far: another number is another twin. 0: there is none yet. */
  readonly made: number;
  /** While a twin is made or searched for: what is done now, and how far it is, if that is known. */
  readonly doing?: {
    readonly what: 'load' | 'read' | 'write' | 'run' | 'hold' | 'search' | 'causes' | 'prevent';
    readonly done: number;
    readonly of: number | null;
  };
}

/** A command under way: decisions taken, of so many if that is known, and the run's clock there. */
export interface Busy extends Partial<Progress> {
  readonly do: Command['do'];
}

/** The pages that watch a session, as the server reports it to one of them. */
export interface Company {
  /** The number of pages that watch the session, this one included. */
  readonly pages: number;
  /** Another page watched the session when this one came. */
  readonly later?: true;
  /** The command that moved the session last, and whose it was. Absent if there was none, or its page has left. */
  readonly moved?: {
    readonly by: 'this' | 'other';
    readonly do: Command['do'];
    /** It was a step back. */
    readonly back?: true;
  };
}

/** The result of going over to another version of the kubelet. */
export interface EraAnswer {
  /** The number of choices that were not taken along, because they name decisions of the run that was left. */
  readonly choices: number;
}

/** A load was stopped: the session is at this position and goes on from here as the requested run. */
export interface LoadStopped {
  readonly stopped: Position;
}

/** The reason why a goal ended: it was reached, its time was up, or something stopped it. */
export type GoalEnd = 'met' | 'time' | 'breakpoint' | 'choice' | 'end' | 'paused';
/** The result of an `until`: true in `met` if its condition held, and the record at which it ended. */
export interface UntilResult {
  readonly met: boolean;
  readonly seq: Seq;
  readonly ended: GoalEnd;
}

export type ClientMessage =
  /**
   * `session`, `branch` and `resumeFrom`: what the client has, and wants to resume after. `page`: a name that no other
   * page has; connections with the same name count as one page, because a broken connection is noticed late.
   */
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly session?: string;
      readonly branch?: number;
      readonly resumeFrom?: Seq;
      readonly page?: string;
    }
  | { readonly type: 'command'; readonly id: number; readonly command: Command }
  /** All records up to `seq` were taken. */
  | { readonly type: 'ack'; readonly seq: Seq };

export type ServerMessage =
  /**
   * `snapshot` when the records that the client lacks are no longer in memory: the state at `snapshot.seq`, records go
   * on after it.
   */
  | {
      readonly type: 'welcome';
      readonly protocol: number;
      readonly info: SessionInfo;
      readonly run: RunState;
      readonly snapshot: { readonly seq: Seq; readonly state: NodeState } | null;
    }
  | { readonly type: 'records'; readonly records: readonly TraceRecord[] }
  | { readonly type: 'run'; readonly run: RunState }
  /** The pages that watch the session: sent when they change, and never to a page that has always been alone. */
  | { readonly type: 'company'; readonly company: Company }
  | { readonly type: 'result'; readonly id: number; readonly ok: true; readonly value?: Json }
  | { readonly type: 'result'; readonly id: number; readonly ok: false; readonly error: string }
  /** The session started over (a scenario was loaded): forget everything, a welcome follows. */
  | { readonly type: 'reset' }
  /** The session went back: forget the records after `seq`, others will come in their place. */
  | { readonly type: 'rewound'; readonly seq: Seq }
  /** Logpoints were met. */
  | { readonly type: 'written'; readonly hits: readonly Hit[] }
  | { readonly type: 'refused'; readonly error: string };

/** One side's end of a connection to a session, whatever carries it. */
export interface Connection {
  send(message: ClientMessage): void;
  onMessage(handler: (message: ServerMessage) => void): void;
  onClose(handler: (reason: string) => void): void;
  close(): void;
}
