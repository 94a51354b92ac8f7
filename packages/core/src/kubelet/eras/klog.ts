import { type Json, quoteGo } from '../../trace/index.js';
import type { KeysAndValues, LogLine, LogWords } from '../klog.js';

/**
 * The places of a version's messages, by file and by text: `LINE LEVEL KEYS`. LEVEL is the verbosity, `E` or `W`, or
 * `?` if the source computes it. Several if a text is at several places. Written by scripts/klog-words.mjs.
 */
export interface KlogPlaces {
  readonly [file: string]: { readonly [text: string]: string | readonly string[] };
}

/**
 * The words of a version for a message of v1.36: another text of structured logging; or a format of printf and its
 * arguments, each the name of a field or, behind `=`, a text. `pod` prints as format.Pod does; `pod.name`,
 * `pod.namespace`, `pod.fullName` and `pod.uid` are its parts, `pod:containerName` is a container of it, `IPs.0` the
 * first of a list, `err.reason` an error without what it begins with. null: nothing.
 */
export type Phrase = string | readonly [format: string, ...args: string[]] | null;

export interface KlogTable {
  readonly places: KlogPlaces;
  /** Messages of v1.36 that this version does not have. */
  readonly absent: readonly string[];
  readonly phrases: { readonly [msg: string]: Phrase };
  /** The format of fields: as Go prints them (klog before 2.90), or as v1.36 does; none: all lines are printf's. */
  readonly values: 'go' | 'json' | 'none';
  /** A text of several lines is a block behind `<`, as since klog 2.30. */
  readonly blocks?: boolean;
  /** Values that had another form, by the name of their field. */
  readonly convert?: { readonly [key: string]: (value: Json) => Json };
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly level: string;
  readonly keys: readonly string[];
}

/** Types of Go that are texts without a String method: `%+v` prints them bare. */
const bare = new Set(['podUID', 'oldPodUID', 'mirrorPodUID', 'podID', 'oldState', 'newState', 'phase', 'oldPhase']);

/** A value as Go's `%+v` prints it; without the names of fields: as `%v`; with quotes: as `%q`. */
function goValue(value: Json | undefined, verb = '+v'): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'string') return verb === 'q' ? quoteGo(value) : value;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map((v) => goValue(v, verb)).join(' ')}]`;
  return `{${Object.entries(value)
    .map(([key, v]) => (verb === '+v' ? `${key}:` : '') + (v === null ? 'nil' : goField(v, verb)))
    .join(' ')}}`;
}
function goField(v: Json | undefined, verb: string): string {
  const empty = typeof v === 'object' && v !== null && !Array.isArray(v) && Object.keys(v).length === 0;
  return empty ? 'map[]' : goValue(v, verb);
}

function block(text: string): string {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `<\n${lines.map((line) => `\t${line}\n`).join('')} >`;
}

/** The log words of one kubelet of a version. It remembers the UIDs of pods, because printf lines have name and UID. */
export function newKlogWords(table: KlogTable): LogWords {
  const absent = new Set(table.absent);
  const uids = new Map<string, string>();
  const parsed = new Map<string, readonly Place[]>();

  /** The places of `text` in the source; only those of `file` if it has any. */
  function placesOf(file: string, text: string): readonly Place[] {
    const key = `${file} ${text}`;
    const known = parsed.get(key);
    if (known) return known;
    const own = table.places[file]?.[text];
    const all = own === undefined ? Object.entries(table.places) : [[file, table.places[file]] as const];
    const places = all.flatMap(([at, texts]) => {
      const found = texts?.[text];
      return found === undefined ? [] : [found].flat().map((place) => parsePlace(at, place));
    });
    parsed.set(key, places);
    return places;
  }

  function formatPod(name: Json | undefined, uid: Json | undefined): string {
    if (typeof name !== 'string') return goValue(name);
    const slash = name.indexOf('/');
    const known = typeof uid === 'string' ? uid : uids.get(name);
    return `${name.slice(slash + 1)}_${name.slice(0, Math.max(slash, 0))}(${known ?? ''})`;
  }

  /** An argument of printf: a text to be quoted by `%q`, or a value. */
  function argument(arg: string, kv: KeysAndValues): Json | undefined {
    if (arg.startsWith('=')) return arg.slice(1);
    const [key, part] = arg.split(/[.:]/) as [string, string?];
    const value = kv[key];
    if (arg.includes(':')) return `${formatPod(value, kv.podUID)}:${goValue(kv[part ?? ''])}`;
    if (part === '0') return Array.isArray(value) ? (value[0] ?? '') : value;
    if (part !== undefined && typeof value === 'string') return partOf(value, part);
    if (key === 'pod') return formatPod(value, kv.podUID);
    if (key === 'pods' && Array.isArray(value)) {
      const ids = Array.isArray(kv.podUIDs) ? kv.podUIDs : [];
      // upstream: format.PodsWithDeletionTimestamps
      const ends = part === 'deletionTimestamps' && Array.isArray(kv.deletionTimestamps) ? kv.deletionTimestamps : [];
      return value
        .map((pod, i) => `${formatPod(pod, ids[i])}${ends[i] ? `:DeletionTimestamp=${ends[i]}` : ''}`)
        .join(', ');
    }
    return value;
  }

  function partOf(value: string, part: string): string {
    if (part === 'reason') return value.replace(/^.* start failed in pod \S+: /s, '');
    const slash = value.indexOf('/');
    const [name, namespace] = [value.slice(slash + 1), value.slice(0, Math.max(slash, 0))];
    if (part === 'uid') return uids.get(value) ?? name;
    return part === 'name' ? name : part === 'namespace' ? namespace : `${name}_${namespace}`;
  }

  function printf(format: string, args: readonly string[], kv: KeysAndValues): string {
    let next = 0;
    return format.replace(/%([+#]?[a-z%])/g, (_, verb: string) => {
      if (verb === '%') return '%';
      const value = argument(args[next++] ?? '', kv);
      if (verb === '#v' && value !== null && typeof value === 'object' && !Array.isArray(value)) {
        const fields = Object.entries(value).map(([k, v]) => `${k}:${goValue(v, 'q')}`);
        return `&pleg.PodLifecycleEvent{${fields.join(', ')}}`;
      }
      return goValue(value, verb);
    });
  }

  function field(key: string, value: Json | undefined): string {
    if (typeof value === 'string') {
      if (bare.has(key)) return value;
      return table.blocks && value.includes('\n') ? block(value) : quoteGo(value);
    }
    if (key === 'event' && value !== null && typeof value === 'object') return `&${goValue(value)}`;
    return goValue(value);
  }

  function body(msg: string, kv: KeysAndValues): string {
    let out = quoteGo(msg);
    for (const [key, value] of Object.entries(kv)) out += ` ${key}=${field(key, value)}`;
    return out;
  }

  function converted(kv: KeysAndValues): KeysAndValues {
    const due = Object.keys(table.convert ?? {}).filter((key) => kv[key] !== undefined);
    if (due.length === 0) return kv;
    return { ...kv, ...Object.fromEntries(due.map((key) => [key, table.convert?.[key]?.(kv[key] as Json)])) };
  }

  return (line: LogLine) => {
    const kv = converted(line.kv);
    learn(kv, uids);
    const phrase = table.phrases[line.msg];
    if (phrase === null) return null;
    const printed = typeof phrase === 'object' ? phrase : undefined;
    const text = typeof phrase === 'string' ? phrase : (printed?.[0] ?? line.msg);
    const place = choose(placesOf(line.file, text), line);
    if (!place && phrase === undefined && absent.has(line.msg)) return null;
    const severity = place ? severityOf(place.level, line.severity) : line.severity;
    const v = place && /^\d/.test(place.level) ? Number(place.level) : severity === 'I' ? line.v : 0;
    const file = place?.file ?? line.file;
    const at = place ? { line: place.line } : {};
    if (printed) {
      const said = printf(printed[0], printed.slice(1), kv);
      return { severity, v, msg: said, kv, file, text: said, ...at };
    }
    const fields = place ? ordered(kv, place.keys) : kv;
    const said = table.values === 'json' ? {} : { text: table.values === 'go' ? body(text, fields) : text };
    return { severity, v, msg: text, kv: fields, file, ...said, ...at };
  };
}

function parsePlace(file: string, place: string): Place {
  const [line, level, ...keys] = place.split(' ') as [string, string, ...string[]];
  return { file, line: Number(line), level, keys };
}

const severityOf = (level: string, given: LogLine['severity']): LogLine['severity'] =>
  level === 'E' || level === 'W' ? level : level === '?' ? given : 'I';

/** The one of several places whose severity and fields match best. */
function choose(places: readonly Place[], line: LogLine): Place | undefined {
  if (places.length < 2) return places[0];
  const score = ({ level, keys }: Place) =>
    (level === String(line.v) ? 20 : severityOf(level, line.severity) === line.severity ? 10 : 0) -
    keys.filter((key) => !Object.hasOwn(line.kv, key)).length -
    Object.keys(line.kv).filter((key) => key !== 'err' && !keys.includes(key)).length;
  return places.reduce((best, place) => (score(place) > score(best) ? place : best));
}

/** The fields that a place names, in its order; an error comes first. */
function ordered(kv: KeysAndValues, keys: readonly string[]): { readonly [key: string]: Json } {
  const out: { [key: string]: Json } = {};
  const put = (key: string, from = key) => {
    const value = kv[from];
    if (value !== undefined) out[key] = value;
  };
  if (!keys.includes('err')) put('err');
  for (const key of keys) put(key, Object.hasOwn(kv, key) ? key : formerNames[key]);
  return out;
}

/** Today's names of fields that had other names. */
const formerNames: { readonly [key: string]: string } = {
  patch: 'patchBytes',
  patchBytes: 'patch',
  err: 'error',
  error: 'err',
  limit: 'gracePeriod',
};

function learn(kv: KeysAndValues, uids: Map<string, string>): void {
  if (typeof kv.pod === 'string' && typeof kv.podUID === 'string') uids.set(kv.pod, kv.podUID);
  if (Array.isArray(kv.pods) && Array.isArray(kv.podUIDs))
    for (const [i, pod] of kv.pods.entries()) uids.set(String(pod), String(kv.podUIDs[i] ?? ''));
}
