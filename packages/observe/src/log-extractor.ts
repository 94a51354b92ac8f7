/** Makes records of the facts that a kubelet's log lines prove: by the catalogue, with the story of each process. */
import { isObject } from '@syncloop/core/base';
import { type Found, find } from './catalogue/index.js';
import { programTrouble } from './catalogue/programs.js';
import type { Evidence, LogEntry } from './evidence/index.js';
import { containerId, type PodIdentities, podName, Recent, uidInName } from './identity.js';
import { KUBELET } from './log/programs.js';
import type { KubeletFacts } from './observer.js';
import type { Extractor, RecordWriter } from './record-writer.js';
import { bareTrouble } from './story/bare.js';
import { Containers } from './story/containers.js';
import { lifecycleEvent, podList, text } from './story/fields.js';
import { handleLine } from './story/index.js';
import { patchedStatus } from './story/node.js';
import { finishing } from './story/pleg.js';
import { type Line, Process } from './story/process.js';
import { RuntimeWords } from './story/runtime-words.js';
import { type Trouble, troubleOf, writeTrouble } from './story/symptoms.js';
import { workTypeOf } from './story/turn.js';

/** The number of lines that were read and made no record, by message. */
export interface Unread {
  /** The message without its variable parts; '' for lines that are not records of klog. */
  readonly msg: string;
  readonly file: string;
  readonly count: number;
  /** True if the catalogue has it: it is known to prove nothing that a record could state. */
  readonly known: boolean;
  /** The record of the first line of that kind. */
  readonly first: number;
}

/** Most processes with a state: a file may have several, one after the other. */
const MOST_PROCESSES = 8;
/** Most kinds of lines that are counted each by itself; all others count as one. */
const MOST_MESSAGES = 5_000;
const OTHERS = '(others)';
const MOST_PROGRAMS = 1_000;

type Count = { -readonly [K in keyof Unread]: Unread[K] } & { readonly structured: boolean };

export class LogExtractor implements Extractor {
  facts: KubeletFacts = { version: '', node: '', runtime: '' };
  /** The runtime, if no line states it. */
  readonly runtimeWords = new RuntimeWords();
  /** Flags of the command line, as the log has them at `-v=1` and more. */
  readonly flags = new Map<string, string>();
  private readonly containers = new Containers();
  private readonly processes = new Map<number, Process>();
  private current: Process | null = null;
  /** A log as JSON has no process numbers: each start is one. */
  private starts = 0;
  /** Counts by file and line of the kubelet's source, or by message if there is none. */
  private readonly counts = new Map<string, Map<number | string, Count>>();
  private kinds = 0;
  private more: Count | null = null;

  /** Lines of which no record was made besides their own, the most frequent first. */
  get unread(): readonly Unread[] {
    const all = [...this.counts.values()].flatMap((some) => [...some.values()]);
    // Two places of the source may say the same.
    const merged = new Map<string, Count>();
    for (const one of this.more ? [...all, this.more] : all) {
      const key = `${one.file}\n${one.msg}`;
      const same = merged.get(key);
      if (same) {
        same.count += one.count;
        same.first = Math.min(same.first, one.first);
      } else merged.set(key, { ...one });
    }
    return [...merged.values()]
      .map(({ msg, file, count, known, first }) => ({ msg, file, count, known, first }))
      .sort((a, b) => b.count - a.count);
  }
  /** The number of entries that are kept about pods, containers and messages: bounded, however long the log is. */
  get held(): number {
    let held = this.containers.size + this.kinds;
    for (const process of this.processes.values()) held += process.size;
    return held;
  }
  /** Verbosity that the process was started with; null if no source says so. */
  get verbosity(): number | null {
    const v = this.flags.get('v');
    return v !== undefined && /^\d+$/.test(v) ? Number(v) : null;
  }

  private readonly shares = new Map<string, { lines: number; read: number }>();
  private share = { lines: 0, read: 0 };
  /** Lines by program, and how many of them were read, the most frequent first. */
  get programs(): readonly { readonly program: string; readonly lines: number; readonly read: number }[] {
    return [...this.shares]
      .map(([program, share]) => ({ program, ...share }))
      .sort((a, b) => b.lines - a.lines || (a.program < b.program ? -1 : 1));
  }
  /** Counts a line as read, until `count` finds that it was not. */
  private lineOf(program: string): void {
    const key = this.shares.has(program) || this.shares.size < MOST_PROGRAMS ? program : '';
    let share = this.shares.get(key);
    if (!share) {
      share = { lines: 0, read: 0 };
      this.shares.set(key, share);
    }
    share.lines++;
    share.read++;
    this.share = share;
  }

  foresee(evidence: Evidence): void {
    if (evidence.kind !== 'line' || evidence.entry.kind === 'other') return;
    const { entry } = evidence;
    const found = find(entry);
    const { fields } = entry;
    const at = evidence.at ?? 0;
    if (fields.containerID !== undefined || fields.podSandboxID !== undefined || fields.containerStatusID !== undefined)
      this.containers.learn(fields);
    if (!found) return;
    // After the kubelet rotates logs, each round names its containers.
    if (fields.id !== undefined && entry.msg === 'Adding new entry to the queue for processing')
      this.containers.container(containerId(fields.id), text(fields.name));
    const process = this.ahead(entry, found);
    process.version.line(entry);
    const { says } = found.row;
    switch (says.is) {
      case 'update':
        process.ahead.updates = true;
        process.tracks.foreseeWork(text(found.fields.podUID), workTypeOf(found.fields.workType).workType ?? 'sync');
        break;
      case 'kill':
        process.ahead.kills = true;
        break;
      case 'work':
        if (says.moment === 'begin') {
          process.ahead.work = true;
          process.tracks.foreseeWork(text(found.fields.podUID), workTypeOf(found.fields.updateType).workType ?? 'sync');
        }
        break;
      case 'worker':
        if (says.from === undefined && says.to === 'sync') process.tracks.foreseeFirst(text(found.fields.podUID));
        break;
      case 'update-dropped':
        // Up to 1.27.1 a pod that had ended before the kubelet started was finished at once.
        if (entry.msg.startsWith('Pod is finished')) process.tracks.foreseeWork(text(found.fields.podUID), 'finished');
        break;
      case 'kube-event':
        return;
      case 'config':
        if (says.op === 'ADD')
          for (const { pod } of podList(found.fields.pods) ?? [])
            process.tracks.foreseeSource(pod, text(found.fields.source));
        break;
      case 'finished': {
        const id = containerId(fields.containerID);
        this.containers.container(id);
        finishing.add(process, id);
        return;
      }
      case 'pleg': {
        const event = lifecycleEvent(found.fields.event);
        const pod = podName(found.fields.pod);
        if (event && pod !== '') process.tracks.foresee(pod, event.uid, at, false);
        return;
      }
      case 'status-patch': {
        const patch = patchedStatus(fields);
        this.containers.learnStatus(patch?.status);
        if (!patch || patch.uid === '') break;
        const pod = podName(fields.pod);
        const { tracks } = process;
        // Up to 1.25 the line does not tell the pod's UID: it is the patch's, unless the pod is a static one.
        if (text(fields.podUID) === '' && tracks.isForeseenFromApi(pod)) tracks.foresee(pod, patch.uid, at, false);
        // The API server knows a static pod by the UID of its mirror.
        else if (patch.uid !== text(fields.podUID)) tracks.mirror(pod, patch.uid, at);
        break;
      }
      case 'status':
        if (isObject(fields.status)) this.containers.learnStatus(fields.status);
        break;
      case 'mirror-unknown':
        process.tracks.mirror(podName(fields.mirrorPod), text(fields.mirrorPodUID), at);
        return;
    }
    if (found.row.mirror) {
      process.tracks.mirror(podName(fields.pod), text(fields.podUID), at);
      return;
    }
    const uid = text(found.fields.podUID) || uidInName(found.fields.pod);
    if (uid === '') return;
    const pod = podName(found.fields.pod);
    if (pod === '' || process.tracks.isMirror(uid)) return;
    const first = (says.is === 'worker' && says.to === 'sync') || (says.is === 'update-dropped' && says.again === true);
    process.tracks.foresee(pod, uid, at, first);
  }

  /** The process of a line that has not had its turn. */
  private ahead(entry: LogEntry, { row }: Found): Process {
    if (entry.pid === 0 && row.says.is === 'version') this.starts++;
    return this.process(entry.pid === 0 ? -Math.max(1, this.starts) : entry.pid);
  }
  private process(pid: number): Process {
    let process = this.processes.get(pid);
    if (!process) {
      process = new Process(pid, this.containers);
      if (this.processes.size >= MOST_PROCESSES) {
        const oldest = [...this.processes.keys()].find((key) => key !== this.current?.pid);
        if (oldest !== undefined) this.processes.delete(oldest);
      }
      this.processes.set(pid, process);
    }
    return process;
  }

  /** Lines with a version so far: without process ids, each begins another process. */
  private versions = 0;
  hear(evidence: Evidence, seq: number, writer: RecordWriter): void {
    if (evidence.kind !== 'line') return;
    const { entry } = evidence;
    if (entry.kind === 'other') {
      // Heads and explanations of journalctl are known.
      const known = entry.program === 'journalctl' ? null : programTrouble(entry);
      const bare = known === undefined ? bareTrouble(entry) : null;
      const trouble = bare ? { ...bare, program: KUBELET } : known;
      this.lineOf(entry.program ?? trouble?.program ?? '');
      if (entry.program !== undefined) this.runtimeWords.hear(entry.program);
      if (trouble) writeTrouble(trouble, trouble.program, writer, (pod) => writer.pods.uid(pod));
      else this.count(null, seq, trouble === null);
      return;
    }
    this.lineOf('kubelet');
    const found = find(entry);
    if (!found) {
      this.count(entry, seq, false);
      return;
    }
    this.learn(found);
    let pid = entry.pid;
    if (pid === 0) {
      if (found.row.says.is === 'version') this.versions++;
      pid = -Math.max(1, this.versions);
    }
    const process = this.turnTo(pid, found, writer);
    const line: Line = { found, entry, at: evidence.at ?? 0, seq };
    const { says } = found.row;
    const trouble = troubleOf(found, entry);
    // If another process has followed, or the line is another program's, only the line itself is shown.
    if (!process || (process !== this.current && says.is !== 'nothing')) {
      if (trouble) this.tell(trouble, process, line, writer);
      else this.count(entry, seq, true);
      return;
    }
    const uid = text(found.fields.podUID) || uidInName(found.fields.pod);
    if (uid !== '' && !found.row.mirror && says.is !== 'mirror-unknown' && !process.tracks.isMirror(uid)) {
      const pod = podName(found.fields.pod);
      if (pod !== '') {
        process.tracks.of(pod, uid);
        writer.pods.learn(pod, uid);
      }
    }
    const handled = handleLine({ process, line, writer });
    if (trouble) this.tell(trouble, process, line, writer);
    else if (!handled) this.count(entry, seq, true);
  }

  /** Writes a trouble. The kubelet's pods are known by the lines of its process. */
  private tell(trouble: Trouble, process: Process | null, { at }: Line, writer: RecordWriter): void {
    if (typeof trouble.facts.error === 'string') this.runtimeWords.hear(trouble.facts.error);
    if (trouble.pod && trouble.uid) writer.pods.learn(trouble.pod, trouble.uid);
    writeTrouble(trouble, 'kubelet', writer, (pod) => {
      const uid = process?.tracks.current(pod, at)?.uid ?? writer.pods.uid(pod);
      // It may go by its name so far.
      return uid === pod ? undefined : uid;
    });
  }

  /** The process of a line; null if no source says that it is a kubelet's. */
  private turnTo(pid: number, { row }: Found, writer: RecordWriter): Process | null {
    if (this.current?.pid === pid) return this.current;
    if (row.anyone) return this.processes.get(pid) ?? null;
    const process = this.process(pid);
    if (this.ended.has(pid)) return process;
    if (this.current) {
      this.ended.set(this.current.pid, true);
      writer.endGoroutines();
      writer.write({ kind: 'process', process: 'kubelet', state: 'ended' }, { concluded: true });
    }
    this.current = process;
    const state = row.starts ? 'started' : 'running';
    writer.write({ kind: 'process', process: 'kubelet', state }, { concluded: true });
    return process;
  }
  private readonly ended = new Recent<number, true>(1_000);

  private count(entry: LogEntry | null, seq: number, known: boolean): void {
    if (!known) this.share.read--;
    const file = entry?.file ?? '';
    let places = this.counts.get(file);
    let place: number | string = entry === null ? '' : entry.sourceLine > 0 ? entry.sourceLine : entry.msg;
    let one = places?.get(place);
    // Another version of the kubelet has something else there.
    if (one && entry && (one.structured !== entry.structured || (entry.structured && one.msg !== plain(entry)))) {
      place = plain(entry);
      one = places?.get(place);
    }
    if (one) {
      one.count++;
      return;
    }
    if (this.kinds >= MOST_MESSAGES) {
      this.more ??= { msg: OTHERS, file: '', count: 0, known: false, first: seq, structured: false };
      this.more.count++;
      return;
    }
    this.kinds++;
    if (!places) {
      places = new Map();
      this.counts.set(file, places);
    }
    const { structured = false } = entry ?? {};
    places.set(place, { msg: entry === null ? '' : plain(entry), file, count: 1, known, first: seq, structured });
  }

  private learn({ row, fields }: Found): void {
    switch (row.says.is) {
      case 'version':
        this.facts = { ...this.facts, version: text(fields.kubeletVersion) };
        break;
      case 'runtime':
        this.facts = { ...this.facts, runtime: `${text(fields.containerRuntime)} ${text(fields.version)}`.trim() };
        break;
      case 'node':
        this.facts = { ...this.facts, node: text(fields.node) };
        break;
      case 'kube-event':
        if (fields.kind === 'Node' && this.facts.node === '') this.facts = { ...this.facts, node: text(fields.object) };
        break;
      default:
        if (fields.flag === undefined || this.flags.size >= 1_000) return;
        this.flags.set(text(fields.flag), text(fields.value));
        if (text(fields.flag) === 'container-runtime-endpoint') this.runtimeWords.hear(text(fields.value));
    }
  }
}

/** Returns a message without the parts that differ in each line. */
function plain({ msg, structured }: LogEntry): string {
  if (structured) return msg.length > 200 ? msg.slice(0, 200) : msg;
  return msg
    .slice(0, 200)
    .replace(/"[^"]*"?/g, '"…"')
    .replace(/\/\S+/g, '/…')
    .replace(/\d+/g, '0');
}

/** Learns which UID goes with which name, from lines that come after those that need it. */
export function foreseeIdentities(evidence: Evidence, pods: PodIdentities): void {
  if (evidence.kind !== 'line' || evidence.entry.kind !== 'entry') return;
  const { fields } = evidence.entry;
  if (fields.podUID === undefined || fields.pod === undefined) return;
  pods.learn(podName(fields.pod), text(fields.podUID));
}
