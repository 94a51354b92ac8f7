/**
 * Reads facts from a kubelet's log with plain expressions over its lines, without the product's own reader or
 * catalogue: the truth of what only a log knows.
 */
import type { Fact, Facts } from './facts.js';

const HEADER = /(?:^|\s)[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) +(\d+) [^\s\]]+:\d+\] ([\s\S]*)$/;

interface Line {
  /** ms since 1970. */
  readonly at: number;
  readonly pid: string;
  /** The text from the message on; of JSON, the whole line. */
  readonly text: string;
}

/** Lines with a header, or of klog's JSON. `year` is that of the run; times are UTC. */
function linesOf(log: string, year: number): Line[] {
  const lines: Line[] = [];
  for (const raw of log.split('\n')) {
    const found = HEADER.exec(raw);
    if (found) {
      const [, month, day, h, m, s, micros, pid = '', text = ''] = found;
      const at =
        Date.UTC(year, Number(month) - 1, Number(day), Number(h), Number(m), Number(s)) + Number(micros) / 1000;
      lines.push({ at, pid, text });
    } else if (raw.startsWith('{"ts":')) {
      const {
        ts,
        msg,
        v: _v,
        caller: _c,
        ...fields
      } = JSON.parse(raw) as { ts: number; msg: string } & Record<string, unknown>;
      const shown = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
      lines.push({ at: ts, pid: 'json', text: `${JSON.stringify(msg)} ${shown.join(' ')}` });
    }
  }
  return lines;
}
/** Returns a field of a JSON log in the text form of the same version. */
function fieldText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'name' in value) {
    const { name, namespace } = value as { name: string; namespace?: string };
    return JSON.stringify(namespace ? `${namespace}/${name}` : name);
  }
  if (Array.isArray(value)) return `[${value.map(fieldText).join(',')}]`;
  return JSON.stringify(value);
}

const CHANNELS: readonly (readonly [RegExp, string])[] = [
  [/^"?SyncLoop \(?(ADD|UPDATE|REMOVE|DELETE|RECONCILE)\b/, 'configCh'],
  [/^"?SyncLoop \(PLEG\)/, 'plegCh'],
  [/^"?SyncLoop \(SYNC\)/, 'syncCh'],
  [/^"SyncLoop \(probe\).*probe="?liveness/, 'livenessManager'],
  [/^"SyncLoop \(probe\).*probe="?readiness/, 'readinessManager'],
  [/^"SyncLoop \(probe\).*probe="?startup/, 'startupManager'],
  [/^"SyncLoop \(containermanager\)/, 'containerManager'],
  [/^"?SyncLoop \(housekeeping(\)"?\s*$|, skipped)/, 'housekeepingCh'],
];

const FAILED = /^"(?:Get )?(\w+)(?: with filter| in sandbox| cmd| container)? from (?:runtime|image) service failed"/;
/** Errors of a call that never reached the runtime, or that the kubelet gave up. */
const INSIDE = /code = Unavailable desc = connection error|code = Canceled desc = context canceled/;

/** The names in a list of pods of any version, `ns/name`. */
function names(list: string): string[] {
  return [...list.matchAll(/([a-z0-9][\w.-]*)\/([a-z0-9][\w.-]*)|([a-z0-9][a-z0-9.-]*)_([a-z0-9-]+)\(/g)].map((m) =>
    m[1] !== undefined ? `${m[1]}/${m[2]}` : `${m[4]}/${m[3]}`,
  );
}
const one = (text: string, expression: RegExp): string => expression.exec(text)?.[1] ?? '';

/** The time of the last line of each process, ms since 1970. */
export function endsOfLog(log: string, year: number): number[] {
  const ends = new Map<string, number>();
  for (const { pid, at } of linesOf(log, year)) ends.set(pid, at);
  return [...ends.values()];
}

export function truthOfLog(log: string, year: number): Facts {
  const facts: Required<
    Pick<
      Facts,
      | 'processes'
      | 'config operations'
      | 'turns of the loop'
      | 'PLEG events'
      | 'pod updates'
      | 'worker syncs'
      | 'failed syncs'
      | 'StopContainer'
      | 'phases of pods'
      | 'failed calls'
      | 'back-offs'
      | 'probes'
      | 'Kubernetes events'
    >
  > = {
    processes: [],
    'config operations': [],
    'turns of the loop': [],
    'PLEG events': [],
    'pod updates': [],
    'worker syncs': [],
    'failed syncs': [],
    StopContainer: [],
    'phases of pods': [],
    'failed calls': [],
    'back-offs': [],
    probes: [],
    'Kubernetes events': [],
  };
  const pids = new Set<string>();
  const uids = new Map<string, string>();
  const crash = new Map<string, number>();
  for (const { at, pid, text } of linesOf(log, year)) {
    const add = (list: Fact[], key: string) => list.push({ key, at });
    if (/^"?(Kubelet version|SyncLoop )/.test(text) && !pids.has(pid)) {
      pids.add(pid);
      add(facts.processes, 'kubelet');
    }
    const [, named, uid] = / pod="([^"]+)" podUID="?([\w-]+)/.exec(text) ?? [];
    if (named && uid) uids.set(named, uid);
    const phase = /^"Status for pod updated successfully" pod="([^"]+)".*?"phase":"(\w+)"/.exec(text);
    const of = uids.get(phase?.[1] ?? '');
    if (phase && of) facts['phases of pods'].push({ key: `${of} ${phase[2]}` });
    const channel = CHANNELS.find(([expression]) => expression.test(text))?.[1];
    if (channel) add(facts['turns of the loop'], channel);
    const op = /^"?SyncLoop \(?(ADD|UPDATE|REMOVE|DELETE|RECONCILE)"? ?,? ?(?:source=)?"(\w+)"/.exec(text);
    if (op) add(facts['config operations'], `${op[1]} ${op[2]} ${names(text.slice(op[0].length)).join(',')}`);
    const event = /^"?SyncLoop \(PLEG\).*?ID"?:"?([0-9a-f-]+)"?,? ?"?Type"?:"?(\w+)"?,? ?"?Data"?:"?([0-9a-f]*)/.exec(
      text,
    );
    if (event) add(facts['PLEG events'], `${event[2]} ${event[1]} ${event[3]}`);
    if (text.startsWith('"Notifying pod of pending update"'))
      add(facts['pod updates'], `${one(text, /podUID="?([\w-]+)/)} ${one(text, /workType="?(\w+)/)}`);
    const sync = /^"[sS]ync((?:Terminating|Terminated)?)Pod enter"/.exec(text);
    if (sync) add(facts['worker syncs'], `sync${sync[1]}Pod ${one(text, /podUID="?([\w-]+)/)}`);
    if (/^"?Error syncing pod/.test(text)) {
      add(facts['failed syncs'], one(text, /podUID="?([\w-]+)/) || one(text, /^Error syncing pod (\S+)/));
      // At `-v=3` and more the back-off has a line of its own before.
      for (const [, delay, container, uid = ''] of text.matchAll(
        /back-off (\S+) restarting failed container=(\S+) pod=[^\s(]+\(([^)]*)\)/g,
      )) {
        const key = `${uid} ${container} ${delay}`;
        if (at - (crash.get(key) ?? 0) > 1_000) add(facts['back-offs'], key);
      }
    }
    if (text.startsWith('"Back-off restarting failed container"')) {
      const [, delay, container, uid] =
        /back-off (\S+) restarting failed container=(\S+) pod=[^\s(]+\(([^)]*)\)/.exec(text) ?? [];
      const key = `${uid} ${container} ${delay}`;
      crash.set(key, at);
      add(facts['back-offs'], key);
    }
    if (/^"Killing container with a grace period/.test(text)) add(facts.StopContainer, 'StopContainer');
    const failed = FAILED.exec(text)?.[1];
    if (failed !== undefined)
      facts['failed calls'].push({ key: failed, at, ...(INSIDE.test(text) && { inside: true as const }) });
    const probe = /^"Probe (succeeded|failed|errored)/.exec(text);
    if (probe)
      add(
        facts.probes,
        `${one(text, /podUID="?([\w-]+)/)} ${one(text, /containerName="([^"]*)/)} ${one(text, /probeType="(\w+)/).toLowerCase()} ${probe[1]}`,
      );
    if (/^"Event occurred"/.test(text))
      add(facts['Kubernetes events'], `${one(text, /object="([^"]*)/)} ${one(text, /reason="([^"]*)/)}`);
  }
  return facts;
}
