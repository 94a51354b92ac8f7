/** One run of a kubelet as its lines report it: its state, and the writing of its records. */
import { oldestKey } from '@syncloop/core/base';
import type { Json, KillReason, RecordBody, Seq } from '@syncloop/core/trace';
import { VersionFold } from '@syncloop/core/version';
import type { Found } from '../catalogue/index.js';
import type { LogEntry } from '../evidence/index.js';
import { podName, uidInName } from '../identity.js';
import type { RecordWriter, Written } from '../record-writer.js';
import type { Containers } from './containers.js';
import { text } from './fields.js';
import { type Track, Tracks } from './tracks.js';

/**
 * The inputs of syncLoopIteration in the order of its select, the capacity of each, and since which minor version the
 * loop has it. upstream: kubelet.go
 */
export const CHANNELS = [
  ['configCh', 50, 0],
  ['plegCh', 1000, 0],
  ['syncCh', 1, 0],
  ['livenessManager', 20, 0],
  ['readinessManager', 20, 21],
  ['startupManager', 20, 21],
  ['containerManager', 10, 31],
  ['housekeepingCh', 1, 0],
] as const;
/** The first minor version whose workers end their pods; before, the pod killer did. */
export const WORKERS_END_PODS = 22;
export type ChannelName = (typeof CHANNELS)[number][0];

/** The turn of the loop that is under way, or was the last one. */
export interface Turn {
  /** The `enter` of its handler, else its `select`. What it dispatches follows from it. */
  readonly seq: Seq;
  readonly handler: Seq;
  readonly fn: string;
  /** The pods that it dispatches, and those that are not dispatched yet; null: any pod, as housekeeping may. */
  readonly waiting: Set<string> | null;
  open: boolean;
}

/** A line that the catalogue knows, as the functions of the story take it. */
export interface Line {
  readonly found: Found;
  readonly entry: LogEntry;
  /** Microseconds since 1970. */
  readonly at: number;
  /** The record of the line itself. */
  readonly seq: Seq;
}

/** Goroutines that have a name in the story. */
export type Who = 'syncLoop' | 'pleg' | 'statusManager' | 'eviction' | 'volumes';

/** Facts about one process that are known before its lines have their turn. */
export interface Ahead {
  /** The log says when workers receive updates, and when they begin and end their work. */
  updates: boolean;
  work: boolean;
  events: boolean;
  /** The log has a line for each kill of a container. */
  kills: boolean;
}

export class Process {
  readonly tracks = new Tracks();
  ahead: Ahead = { updates: false, work: false, events: false, kills: false };
  turn: Turn | null = null;
  /** The version that its lines report. */
  readonly version = new VersionFold();
  /** The reason that keeps the loop's gate closed: '' if none does. */
  gate = '';
  gateSeq: Seq = 0;
  networkError = '';
  /** The record of the runtime's state; 0 if the log has not reported it. */
  networkSeq: Seq = 0;
  /** The `enter` of syncLoop; 0 before. */
  loop: Seq = 0;
  /** The ids of the loop's channels by their names, in the order of its select; those that its version has. */
  readonly chans = new Map<ChannelName, number>();
  /** The loop's goroutine. */
  loopG = 0;
  /** The last `pleg-transition` of a container or sandbox. */
  readonly transitions = new Map<string, Seq>();
  /** Containers that ended and whose exit code a later line reports. */
  readonly ending = new Map<string, { readonly body: RecordBody; readonly basis: Seq }>();
  /** Probes that ran, by pod and type: the last record of each container, the latest container at the end. */
  readonly probes = new Map<string, Map<string, Seq>>();
  /**
   * The last operation on a container: the `enter` of killContainer by its id, of a hook by `hook <id>`, of
   * startContainer by `start <uid> <name>`; the reason of its kill by `why <id>`; back-offs by `backoff <uid> <name>`.
   */
  readonly causes = new Map<string, Seq>();
  /** The last update of devices: its key, and when a line reported it. */
  deviceUpdate: { readonly key: string; readonly at: number } | null = null;
  /** Reasons for kills of containers, by their ids. */
  readonly reasons = new Map<string, KillReason>();
  /** The time of the last line that reports a kill of the container. */
  readonly killedAt = new Map<string, number>();
  /** Containers whose cgroups cAdvisor saw, and when. */
  readonly cgroups = new Map<string, number>();
  /** Pods that are being evicted, with the record that reported it. */
  readonly evicted = new Map<string, Seq>();

  constructor(
    readonly pid: number,
    readonly containers: Containers,
  ) {}

  /** True if its version is before 1.`minor`; undefined if that is not known. */
  isBefore(minor: number): boolean | undefined {
    const { span } = this.version.found;
    if (!span) return undefined;
    return span.until < minor ? true : span.since >= minor ? false : undefined;
  }

  /** The number of entries that are kept. */
  get size(): number {
    const { transitions, ending, probes, causes, evicted } = this;
    return this.tracks.size + transitions.size + ending.size + probes.size + causes.size + evicted.size;
  }

  goroutine(writer: RecordWriter, who: Who): number {
    return writer.goroutine(who);
  }
  worker(writer: RecordWriter, track: Track): number {
    return writer.goroutine(`worker ${track.uid}`, `podWorker ${track.pod}`, { place: 'pod/worker', uid: track.uid });
  }

  /** The pod that a line means, by its fields; undefined if that is not known. */
  track({ found: { fields }, at }: Line): Track | undefined {
    const name = podName(fields.pod);
    const uid = text(fields.podUID) || uidInName(fields.pod);
    if (uid !== '') {
      const known = this.tracks.get(uid);
      if (known) return known;
      return name === '' && this.tracks.isMirror(uid) ? undefined : this.tracks.of(name, uid);
    }
    return /^[^/\s]+\/[^/\s]+$/.test(name) ? this.tracks.provisional(name, at) : undefined;
  }
}

/** Adds an entry to a map, and removes the oldest one if there are more than a node has at a time. */
export function bounded<K, V>(map: Map<K, V>, key: K, value: V, most = 4_000): void {
  if (map.size >= most && !map.has(key)) map.delete(oldestKey(map) as K);
  map.set(key, value);
}

/** The context that each function of the story gets. */
export interface LineContext {
  readonly process: Process;
  readonly line: Line;
  readonly writer: RecordWriter;
}
export type LineHandler<S = unknown> = (context: LineContext, says: S) => void;

/** The fields that say which pod a record is about. */
export const about = ({ pod, uid }: Track): { pod: string; uid: string } => ({ pod, uid });

export const write = ({ writer }: LineContext, body: RecordBody, how?: Written): Seq => writer.write(body, how);

export type { Json };
