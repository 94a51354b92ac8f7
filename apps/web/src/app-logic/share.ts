/**
 * Links to a moment of a simulation: `#run=v1.j…` (JSON as base64url) or `v1.z…` (the same deflated, where that is shorter).
 * A link is what somebody else wrote: nothing in it is trusted, and whatever is wrong with it is a LinkError.
 */
import { type Command, parseCommand } from '@syncloop/core/debug';
import type { Json } from '@syncloop/core/trace';
import type { Lang, Part, Selection } from '../store/ui-store.js';

export type LoadCommand = Extract<Command, { do: 'load' }>;

/** A run up to a position, and how it was looked at. */
export interface Moment {
  readonly load: LoadCommand;
  readonly lang?: Lang;
  readonly selection?: Selection;
  /** The lesson that was open, and its step from 0: it is opened instead, as its own run leads there. */
  readonly lesson?: { readonly name: string; readonly step: number };
}

/** `newer`: made by a later version. `damaged`: cut off or changed. `long`: too much for a link. `browser`: it cannot unpack it. */
export type LinkProblem = 'newer' | 'damaged' | 'long' | 'browser';
export class LinkError extends Error {
  override readonly name = 'LinkError';
  constructor(
    readonly problem: LinkProblem,
    message: string,
  ) {
    super(message);
  }
}

const VERSION = 1;
/** Most characters of a link, and bytes of what is packed in it. */
const MOST_CHARACTERS = 100_000;
const MOST_BYTES = 4_000_000;
/** Furthest that a link goes into a run, in decisions: it is executed up to there. */
const FURTHEST = 5_000_000;
/** What is this short is not worth packing. */
const SHORT = 120;

/** A session's answer to `spec`, as `load` takes it. */
export function loadOf(spec: Json | undefined): LoadCommand {
  return parseCommand({ ...(spec as object), do: 'load' }) as LoadCommand;
}

/** The page's address with that moment in it. */
export function linkTo(href: string, moment: string): string {
  const url = new URL(href);
  url.hash = `run=${moment}`;
  return url.href;
}

/** Throws a LinkError when it is too long for a link. */
export async function encodeMoment(moment: Moment): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(short(moment)));
  let packed = `j${toBase64(bytes)}`;
  if (bytes.length > SHORT && typeof CompressionStream === 'function') {
    const deflated = `z${toBase64(await through(bytes, new CompressionStream('deflate-raw')))}`;
    if (deflated.length < packed.length) packed = deflated;
  }
  const text = `v${VERSION}.${packed}`;
  if (text.length > MOST_CHARACTERS || bytes.length > MOST_BYTES)
    throw new LinkError('long', `it would have ${text.length} characters, of at most ${MOST_CHARACTERS}`);
  return text;
}

/** Rejects with a LinkError, and nothing else, for what is no such text. */
export async function decodeMoment(text: string): Promise<Moment> {
  if (text.length > MOST_CHARACTERS)
    throw new LinkError('long', `it has ${text.length} characters, of at most ${MOST_CHARACTERS}`);
  const [, version, kind, packed] = /^v(\d{1,6})\.(.?)(.*)$/s.exec(text) ?? [];
  if (version === undefined || packed === undefined) throw damaged('it does not begin with a version, such as v1');
  if (Number(version) > VERSION)
    throw new LinkError('newer', `its version is ${version}; this page knows links up to version ${VERSION}`);
  if (Number(version) !== VERSION || (kind !== 'j' && kind !== 'z'))
    throw damaged(`there are no links v${version}.${kind}`);
  let bytes = fromBase64(packed);
  if (kind === 'z') {
    if (typeof DecompressionStream !== 'function')
      throw new LinkError('browser', 'this browser cannot unpack deflated data');
    bytes = await through(bytes, new DecompressionStream('deflate-raw')).catch((error: unknown) => {
      throw error instanceof LinkError ? error : damaged('its data cannot be unpacked');
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw damaged('its data is no JSON');
  }
  return long(value);
}

const damaged = (why: string) => new LinkError('damaged', why);

// --- short names ---------------------------------------------------------------------------------------------------

function short({ load, lang, selection, lesson }: Moment): Json {
  const { scenario, text, seed, deviations, interventions, to } = load;
  return {
    s: scenario,
    ...(text !== undefined && { t: text }),
    ...(seed !== undefined && { n: seed }),
    ...(to && { p: [to.step, to.seq] }),
    ...(deviations?.length && { d: deviations as unknown as Json }),
    ...(interventions?.length && { i: interventions as unknown as Json }),
    ...(lang && { l: lang }),
    ...(selection && { x: [selection.kind, whatOf(selection)] }),
    ...(lesson && { e: [lesson.name, lesson.step] }),
  };
}

function long(value: unknown): Moment {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged('its data is no object');
  const own = (key: string): unknown =>
    Object.hasOwn(value, key) ? (value as { readonly [key: string]: unknown })[key] : undefined;
  const at = own('p');
  if (at !== undefined && !(Array.isArray(at) && at.length === 2)) throw damaged('its position is not two numbers');
  let load: LoadCommand;
  try {
    load = parseCommand({
      do: 'load',
      scenario: own('s'),
      text: own('t'),
      seed: own('n'),
      deviations: own('d'),
      interventions: own('i'),
      ...(at !== undefined && { to: { step: at[0], seq: at[1] } }),
    }) as LoadCommand;
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
  if ((load.to?.step ?? 0) > FURTHEST)
    throw damaged(`it stands at decision ${load.to?.step}; a link goes to decision ${FURTHEST} at most`);
  const lang = own('l');
  const selection = selectionOf(own('x'));
  const lesson = lessonOf(own('e'));
  return {
    load,
    ...((lang === 'en' || lang === 'zh-CN') && { lang }),
    ...(selection && { selection }),
    ...(lesson && { lesson }),
  };
}

function lessonOf(value: unknown): Moment['lesson'] {
  if (!Array.isArray(value)) return undefined;
  const [name, step] = value as readonly unknown[];
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,63}$/.test(name)) return undefined;
  return Number.isInteger(step) && (step as number) >= 0 && (step as number) < 100
    ? { name, step: step as number }
    : undefined;
}

const PARTS: Readonly<Record<Part, true>> = {
  loop: true,
  pleg: true,
  cri: true,
  status: true,
  probes: true,
  podConfig: true,
  'source-file': true,
  'source-http': true,
  'source-api': true,
  images: true,
};

/** What names a selection of its kind. */
export function whatOf(selection: Selection): string | number {
  switch (selection.kind) {
    case 'pod':
      return selection.uid;
    case 'channel':
      return selection.name;
    case 'goroutine':
    case 'container':
    case 'sandbox':
      return selection.id;
    case 'record':
      return selection.seq;
    case 'part':
      return selection.part;
  }
}

/** What was selected; undefined for what this page cannot select: a link is no worse without it. */
export function selectionOf(value: unknown): Selection | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, what] = value as readonly unknown[];
  if (typeof what === 'number' && Number.isSafeInteger(what) && what > 0) {
    if (kind === 'goroutine') return { kind, id: what };
    if (kind === 'record') return { kind, seq: what };
  }
  if (typeof what !== 'string' || what === '' || what.length > 300) return undefined;
  if (kind === 'pod') return { kind, uid: what };
  if (kind === 'channel') return { kind, name: what };
  if (kind === 'container' || kind === 'sandbox') return { kind, id: what };
  if (kind === 'part' && Object.hasOwn(PARTS, what)) return { kind, part: what as Part };
  return undefined;
}

// --- bytes ---------------------------------------------------------------------------------------------------------

/** Through a stream that packs or unpacks; no more than MOST_BYTES of it. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // What is wrong with the data is told to the reader, too.
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => {});
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) {
      void reader.cancel().catch(() => {});
      throw new LinkError('long', `unpacked it has more than ${MOST_BYTES} bytes`);
    }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw damaged('it has characters that no link has');
  try {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  } catch {
    throw damaged('it is cut off');
  }
}
