/** The building blocks of a sentence: text, and names that can be followed. */
import type { Micros, PodRef, RecordHead, RecordKind, RecordOf, Wait } from '../records.js';
import type { WhyRules } from './why.js';

/**
 * The subject of a name in a sentence. Ids: a pod's uid; a container's id if it is known, else `uid/name`; a channel's
 * or goroutine's number; a record's seq.
 */
export interface NarrationRef {
  readonly kind: 'pod' | 'container' | 'channel' | 'goroutine' | 'record';
  readonly id: string;
}
export interface NarrationLink {
  readonly text: string;
  readonly ref: NarrationRef;
}
export type NarrationPart = string | NarrationLink;
export interface Narration {
  readonly text: string;
  readonly parts: readonly NarrationPart[];
  /** The reason why it matters or why it is so, if a rule knows it. */
  readonly why?: string;
}

/** Names that a record holds only by number. */
export interface NameLookup {
  /** Returns the name of a channel, '' if it is unknown. */
  channel(id: number): string;
  goroutine(id: number): string;
  /** Name and pod of a container or sandbox by its id. */
  container(id: string): { readonly name: string; readonly pod: string; readonly uid: string } | null;
  /** Returns the id of the newest container of that name in a pod, '' if none is known. */
  containerId(uid: string, name: string): string;
  /** Returns `namespace/name` of a pod by its uid, '' if it is unknown. */
  pod(uid: string): string;
}

type Piece = NarrationPart | number | readonly NarrationPart[];
export type Sentence = readonly NarrationPart[];

export type Lang = 'en' | 'zh';
/** A sentence for every kind of record: the compiler holds that none is missing. */
export type Sentences = { readonly [K in RecordKind]: (record: RecordOf<K>, names: Names) => Sentence };
export interface Language {
  readonly lang: Lang;
  readonly sentences: Sentences;
  readonly why: WhyRules;
  /** Says an action as a clause that can be a name. */
  readonly action: (action: InputAction, names: Names) => Sentence;
}
/** Something that was done from outside, as an `input` record tells it: its verb and arguments. */
export type InputAction = Pick<RecordOf<'input'>, 'verb' | 'args'>;

/** A sentence from a template: pieces are text, numbers, links or parts of sentences. */
export function say(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Sentence {
  const out: NarrationPart[] = [];
  const add = (part: NarrationPart) => {
    const last = out[out.length - 1];
    if (part === '') return;
    if (typeof part === 'string' && typeof last === 'string') out[out.length - 1] = last + part;
    else out.push(part);
  };
  strings.forEach((s, i) => {
    add(s);
    const piece = pieces[i];
    if (piece === undefined) return;
    if (typeof piece === 'number') add(String(piece));
    else if (typeof piece === 'string' || 'text' in piece) add(piece);
    else for (const part of piece) add(part);
  });
  return out;
}

/** Parts with `separator` between them. */
export function join(parts: readonly Piece[], separator: string): Sentence {
  let out: Sentence = [];
  parts.forEach((part, i) => {
    out = i === 0 ? say`${part}` : say`${out}${separator}${part}`;
  });
  return out;
}

/** Names as links. */
export class Names {
  constructor(
    private readonly lookup: NameLookup,
    private readonly lang: Lang,
  ) {}
  channel(id: number): NarrationPart {
    if (id === 0) return 'nil';
    const fallback = this.lang === 'en' ? `channel ${id}` : `通道 ${id}`;
    return link(this.lookup.channel(id) || fallback, 'channel', String(id));
  }
  goroutine(id: number): NarrationPart {
    if (id === 0) return this.lang === 'en' ? 'The kernel' : '内核';
    return link(this.lookup.goroutine(id) || `goroutine ${id}`, 'goroutine', String(id));
  }
  /** The goroutine that made the record. */
  who(record: RecordHead): NarrationPart {
    return this.goroutine(record.g);
  }
  /** Names a pod: `web` for default/web, else `namespace/web`. */
  pod(ref: PodRef): NarrationPart {
    const name = ref.pod || this.lookup.pod(ref.uid);
    return link(shortPod(name) || shortId(ref.uid), 'pod', ref.uid);
  }
  /** Names the object of a Kubernetes event. */
  object(o: { kind: string; namespace: string; name: string; uid: string }): NarrationPart {
    return o.kind === 'Pod' ? this.pod({ pod: `${o.namespace}/${o.name}`, uid: o.uid }) : o.name;
  }
  isNamed(g: number, name: string): boolean {
    return this.lookup.goroutine(g) === name;
  }
  pods(refs: readonly PodRef[], most = 5): Sentence {
    const shown = refs.slice(0, most).map((r) => this.pod(r));
    const rest = refs.length - shown.length;
    const list = join(shown, this.lang === 'en' ? ', ' : '、');
    if (rest === 0) return list;
    return this.lang === 'en' ? say`${list} and ${rest} more` : say`${list}等 ${refs.length} 个`;
  }
  containerOf(ref: PodRef, name: string): NarrationPart {
    return link(name, 'container', this.lookup.containerId(ref.uid, name) || `${ref.uid}/${name}`);
  }
  containerById(id: string, name?: string): NarrationPart {
    return link(name || this.lookup.container(id)?.name || shortId(id), 'container', id);
  }
  /** A sandbox has no name of its own: it is called after its pod. */
  sandbox(id: string): NarrationPart {
    return link(this.lang === 'en' ? 'sandbox' : '沙箱', 'container', id);
  }
  /** A pod by its uid, or by a name that people write. */
  podBy(text: string): NarrationPart {
    return this.lookup.pod(text) === '' ? shortPod(text) : this.pod({ pod: '', uid: text });
  }
  /** Text in which ids of containers, sandboxes and pods are names, as far as they are known; other ids are short. */
  named(text: string): string {
    return text.replace(/[0-9a-f]{32,}/g, (id) => {
      const container = this.lookup.container(id);
      if (container) return container.name || (this.lang === 'en' ? 'sandbox' : '沙箱');
      return shortPod(this.lookup.pod(id)) || id.slice(0, 12);
    });
  }
  podOfContainer(id: string): NarrationPart | null {
    const c = this.lookup.container(id);
    return c ? this.pod(c) : null;
  }
  /** Says in few words what was sent on a channel; null if it says nothing. */
  item(item: unknown): Sentence | null {
    if (item === null || item === undefined) return null;
    // Tickers send the time.
    if (typeof item === 'number') return say`${this.lang === 'en' ? 'the tick of ' : '时刻 '}${at(item)}`;
    if (typeof item === 'string') return say`${quote(this.named(item), 80)}`;
    const list = this.lang === 'en' ? ', ' : '、';
    const names = (value: unknown) =>
      Array.isArray(value) ? quote(value.map((v) => shortPod(String(v))).join(list), 80) : '';
    if (Array.isArray(item)) return say`${names(item) || (this.lang === 'en' ? 'an empty list' : '空列表')}`;
    const { uid, pods, ...rest } = item as { readonly [key: string]: unknown };
    const words = Object.values(rest)
      .filter((v) => typeof v === 'string' || typeof v === 'number')
      .map((v) => quote(this.named(String(v)), 40));
    const what = [...words, names(pods)].filter((w) => w !== '').join(' ');
    if (typeof uid !== 'string') return say`${what}`;
    const pod = this.pod({ pod: '', uid });
    return what === '' ? say`${pod}` : say`${what} (${pod})`;
  }
  record(seq: number, text: string): NarrationPart {
    return seq === 0 ? text : link(text, 'record', String(seq));
  }
  /** The channels of a wait. Those without a name, such as a stop channel, are left out if others have one. */
  /** Names the channels that a wait is for; `last` stands before the last one of several. */
  channels(wait: Wait, last = ', '): Sentence {
    const chans = wait.chans ?? [];
    const named = chans.filter((c) => c === 0 || this.lookup.channel(c));
    const names = (named.length > 0 ? named : chans).map((c) => this.channel(c));
    const comma = this.lang === 'en' ? ', ' : '、';
    return names.length > 1 ? join([join(names.slice(0, -1), comma), ...names.slice(-1)], last) : join(names, comma);
  }
}

const link = (text: string, kind: NarrationRef['kind'], id: string): NarrationLink => ({ text, ref: { kind, id } });

const shortPod = (name: string): string => (name.startsWith('default/') ? name.slice('default/'.length) : name);
export const shortId = (id: string): string => (id.length > 13 ? id.slice(0, 13) : id);

/** A moment: seconds since the run's start, to the millisecond. */
export const at = (t: Micros): string => `${(t / 1e6).toFixed(3)} s`;

/** Bytes in the largest unit of which there is one or more: 64Mi, 1.5Gi. */
export function amount(bytes: number): string {
  let n = bytes;
  let i = 0;
  for (; i < 4 && Math.abs(n) >= 1024; i++) n /= 1024;
  return `${Number(n.toFixed(1))}${['', 'Ki', 'Mi', 'Gi', 'Ti'][i]}`;
}

/** A duration in the unit that suits it. */
export function duration(d: Micros): string {
  const trim = (n: number) => String(Number(n.toFixed(3)));
  if (Math.abs(d) < 1000) return `${d} µs`;
  if (Math.abs(d) < 1_000_000) return `${trim(d / 1000)} ms`;
  if (Math.abs(d) < 120_000_000) return `${trim(d / 1_000_000)} s`;
  return `${trim(d / 60_000_000)} min`;
}

/** A decision's own reason. */
export function reasonOf(kv: { readonly [key: string]: unknown }): string {
  return typeof kv.why === 'string' ? quote(kv.why) : '';
}

/** Text from the run, short enough for a line. */
export function quote(text: string, most = 160): string {
  const one = text.replace(/\s+/g, ' ').trim();
  return one.length > most ? `${one.slice(0, most)}…` : one;
}

/** Keys of a decision's values that hold a moment of the run's clock, in microseconds. */
const moments: ReadonlySet<string> = new Set(['now', 'due', 'startTime', 'finishedAt']);
function valueText(key: string, value: unknown, names: Names | null): string {
  if (typeof value === 'number' && moments.has(key)) return at(value);
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return quote(names?.named(text) ?? text, 60);
}
/** True for a value that fits into a few words: no maps, and no lists of them. */
const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every((v) => typeof v === 'string') : typeof value !== 'object';
/** True for text that is written for machines: JSON, or a struct as Go prints it. */
const isForMachines = (value: unknown): boolean => typeof value === 'string' && /^\s*[[{]|\w: .*, \w+: /s.test(value);

/** A few of a record's values, as `name value, name value`. Lists only where `deep`; never maps or JSON. */
export function values(kv: { readonly [key: string]: unknown }, names: Names | null, most = 4, deep = false): string {
  const keys = Object.keys(kv).filter(
    (k) =>
      k !== 'why' &&
      kv[k] !== undefined &&
      kv[k] !== null &&
      kv[k] !== '' &&
      isPlain(kv[k]) &&
      !isForMachines(kv[k]) &&
      (deep || !Array.isArray(kv[k])),
  );
  const shown = keys.slice(0, most).map((k) => `${k} ${valueText(k, kv[k], names)}`);
  return shown.join(', ') + (keys.length > most ? ', …' : '');
}
