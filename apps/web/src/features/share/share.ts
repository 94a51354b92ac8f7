/**
 * Links to a moment of a simulation: `#run=v3.j…` (JSON as base64url) or `v3.z…` (the same deflated, if that is
 * shorter), and the same as a file. Links of version 1 had the run, the language and the selection. Somebody else wrote
 * a link: nothing in it is trusted, and any problem throws a LinkError.
 */
import { utf8Bytes, utf8TextStrict } from '@syncloop/core/base';
import { type Command, parseCommand, type RunSpec } from '@syncloop/core/debug';
import { type BreakpointSpec, parseBreakpoints } from '@syncloop/core/debug/breakpoints';
import { custom, type Infer, object, optional, read, textOf } from '@syncloop/core/shape';
import type { Json } from '@syncloop/core/trace';
import { damaged, FURTHEST, LinkError, MOST_BYTES, pack, unpack } from '../../files/packed-text.js';
import type { Lang, Selection } from '../../page/ui-store.js';
import { selectionOf, whatOf } from '../../selection/selection-text.js';
import { type Note, notesFrom, shortNote } from '../notes/notes-model.js';
import { type LinkView, shortView, viewFrom } from './share-view.js';

export { LinkError, type LinkProblem } from '../../files/packed-text.js';
export { selectionOf, whatOf } from '../../selection/selection-text.js';

export type LoadCommand = Extract<Command, { do: 'load' }>;

/** A run up to a position, and how it was looked at. */
export interface Moment {
  readonly load: LoadCommand;
  readonly lang?: Lang;
  readonly selection?: Selection;
  /**
   * The lesson that was open, and its step from 0: it is opened, and its own run leads there. `away`: from there it
   * goes on to the moment.
   */
  readonly lesson?: { readonly name: string; readonly step: number; readonly away?: true };
  /** The name of the branch that the run is. */
  readonly branch?: string;
  readonly breakpoints?: readonly BreakpointSpec[];
  readonly notes?: readonly Note[];
  readonly view?: LinkView;
}

const VERSION = 4;
/**
 * Returns the version that the page that opens a link needs: only pages since version 4 know versions of the kubelet.
 */
const versionOf = ({ load }: Moment): number => (load.era ? VERSION : 3);
/** Scenarios of the library whose node has had a cluster DNS since version 3: older links refer to them without it. */
const WITHOUT_DNS: ReadonlySet<unknown> = new Set([
  'crash-loop',
  'graceful-delete',
  'image-missing',
  'init-and-sidecar',
  'liveness',
  'slow-runtime',
]);
/** Most characters of a link that can be opened. */
const MOST_CHARACTERS = 100_000;
/** Longer links are cut or refused by many programs: a file is better. */
export const LONG_LINK = 8_000;
/** Characters of a branch's name. */
const MOST_NAME = 100;

/** A session's answer to `spec`, as `load` takes it. */
export function loadOf(spec: RunSpec): LoadCommand {
  return parseCommand({ ...spec, do: 'load' }) as LoadCommand;
}

/** The page's address with that moment in it. */
export function linkTo(href: string, moment: string): string {
  const url = new URL(href);
  url.hash = `run=${moment}`;
  return url.href;
}

/** Throws a LinkError when it is too long for any link. */
export async function encodeMoment(moment: Moment): Promise<string> {
  const bytes = utf8Bytes(JSON.stringify(short(moment)));
  const text = `v${versionOf(moment)}.${await pack(bytes)}`;
  if (text.length > MOST_CHARACTERS || bytes.length > MOST_BYTES)
    throw new LinkError('long', `it would have ${text.length} characters, of at most ${MOST_CHARACTERS}`);
  return text;
}

/** Reads a moment. Rejects with a LinkError, and nothing else, for any other text. */
export async function decodeMoment(text: string): Promise<Moment> {
  if (text.length > MOST_CHARACTERS)
    throw new LinkError('long', `it has ${text.length} characters, of at most ${MOST_CHARACTERS}`);
  const [, version, kind, packed] = /^v(\d{1,6})\.(.?)(.*)$/s.exec(text) ?? [];
  if (version === undefined || packed === undefined)
    throw damaged(`it does not begin with a version, such as v${VERSION}`);
  const v = known(Number(version));
  if (kind !== 'j' && kind !== 'z') throw damaged(`there are no links v${version}.${kind}`);
  return parsed(await unpack(kind, packed), (value) => long(value, v));
}

/** Returns the moment as a file's text, if it is too large for a link. */
export function momentFile(moment: Moment): string {
  return `${JSON.stringify({ syncloop: 'moment', version: versionOf(moment), moment: short(moment) })}\n`;
}

/** Reads a moment from a file. Throws a LinkError for any other file. */
export function momentFromFile(value: { readonly version?: unknown; readonly moment?: unknown }): Moment {
  const { version } = value;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) throw damaged('its version is not a whole number');
  return long(value.moment, known(version));
}

function known(version: number): number {
  if (version > VERSION)
    throw new LinkError('newer', `its version is ${version}; this page knows links up to version ${VERSION}`);
  if (version < 1) throw damaged(`there are no links of version ${version}`);
  return version;
}

function parsed<T>(bytes: Uint8Array, read: (value: unknown) => T): T {
  let value: unknown;
  try {
    value = JSON.parse(utf8TextStrict(bytes));
  } catch {
    throw damaged('its data is not JSON');
  }
  return read(value);
}

// --- short names ---------------------------------------------------------------------------------------------------

function short({ load, lang, selection, lesson, branch, breakpoints, notes, view }: Moment): Json {
  const { scenario, text, seed, era, deviations, interventions, to, clock } = load;
  const looks = view && shortView(view);
  return {
    s: scenario,
    ...(text !== undefined && { t: text }),
    ...(seed !== undefined && { n: seed }),
    ...(era && { r: era }),
    ...(to && { p: [to.step, to.seq] }),
    ...(to && clock !== undefined && { c: clock }),
    ...(deviations?.length && { d: deviations as unknown as Json }),
    ...(interventions?.length && { i: interventions as unknown as Json }),
    ...(lang && { l: lang }),
    ...(selection && { x: [selection.kind, whatOf(selection)] }),
    ...(lesson && { e: [lesson.name, lesson.step, ...(lesson.away ? [1] : [])] }),
    ...(branch !== undefined && { b: branch.slice(0, MOST_NAME) }),
    ...(breakpoints?.length && { k: breakpoints as unknown as Json }),
    ...(notes?.length && { o: notes.map(shortNote) }),
    ...(looks && { v: looks }),
  };
}

const position = custom({ type: 'array', minItems: 2, maxItems: 2 }, (r) => {
  if (r.list().length !== 2) throw r.mustBe('two numbers');
  return { step: r.at(0).value, seq: r.at(1).value };
});
const lessonPlace = custom({ type: 'array' }, (r) => lessonOf(r.value));
const any = custom({}, (r) => r.value);

/** A moment by the short names of a link. Parts that only concern its look are left out if they are not understood. */
const shortMoment = object(
  {
    s: any,
    t: optional(any),
    n: optional(any),
    r: optional(any),
    p: optional(position),
    c: optional(any),
    d: optional(any),
    i: optional(any),
    l: optional(any),
    x: optional(any),
    e: optional(lessonPlace),
    b: optional(textOf(MOST_NAME, 0)),
    k: optional(any),
    o: optional(any),
    v: optional(any),
  },
  'drop',
);

function long(value: unknown, version: number): Moment {
  const m = orDamaged(() => read(shortMoment, value, 'the link'));
  const load = orDamaged(
    () =>
      parseCommand({
        do: 'load',
        scenario: version < 3 && m.t === undefined && WITHOUT_DNS.has(m.s) ? `${m.s as string}@v1alpha1` : m.s,
        text: m.t,
        seed: m.n,
        era: m.r,
        deviations: m.d,
        interventions: m.i,
        to: m.p,
        clock: m.c,
      }) as LoadCommand,
  );
  if ((load.to?.step ?? 0) > FURTHEST)
    throw damaged(`it points to decision ${load.to?.step}; a link can point to decision ${FURTHEST} at most`);
  const selection = selectionOf(m.x);
  return {
    load,
    ...((m.l === 'en' || m.l === 'zh-CN') && { lang: m.l }),
    ...(selection && { selection }),
    ...(m.e && { lesson: m.e }),
    ...(version >= 2 && sinceSecond(m)),
  };
}

/** Reads the parts of links that exist since version 2. */
function sinceSecond({ b: branch = '', k, o, v }: Infer<typeof shortMoment>): Omit<Moment, 'load'> {
  const breakpoints = k === undefined ? [] : orDamaged(() => parseBreakpoints(k));
  const notes = o === undefined ? [] : orDamaged(() => notesFrom(o, 'notes'));
  const view = viewFrom(v);
  return {
    ...(branch.trim() !== '' && { branch }),
    ...(breakpoints.length > 0 && { breakpoints }),
    ...(notes.length > 0 && { notes }),
    ...(view && { view }),
  };
}

function orDamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
}

function lessonOf(value: unknown): Moment['lesson'] {
  if (!Array.isArray(value)) return undefined;
  const [name, step, away] = value as readonly unknown[];
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,63}$/.test(name)) return undefined;
  return Number.isInteger(step) && (step as number) >= 0 && (step as number) < 100
    ? { name, step: step as number, ...(away === 1 && { away: true }) }
    : undefined;
}
