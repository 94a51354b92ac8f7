/**
 * Answers to names of the kubelet's source: a place at which a run stops, another name today, or why no run shows
 * it. Functions, channels, messages of the log and the like are those that occur in runs
 * (`gen/occurring.ts`); the tables have what cannot be read there.
 */
import { changes, minorOf, oldNames } from '../changes/index.js';
import type { MinorVersion } from '../changes/types.js';
import type { BreakpointOn } from '../debug/breakpoints/kinds.js';
import { type EraVersion, eraVersions } from '../kubelet/era/versions.js';
import type { RecordKind } from '../trace/index.js';
import { occurring } from './gen/occurring.js';
import { globOf, messagesIn } from './log-text.js';
import { spans, texts, within } from './table.js';
import type { NameAnswer, Place, StopKind } from './types.js';
import { unsimulated } from './unsimulated.js';

export { occurring } from './gen/occurring.js';
export type { NameAnswer, Place, StopKind } from './types.js';

/** Names with a capital inside are not words of a language: how somebody writes them does not matter. */
const keyOf = (name: string): string => (/[a-z][A-Z]/.test(name) ? name.toLowerCase() : name);

const split = (place: Place): readonly [StopKind, string] => {
  const space = place.indexOf(' ');
  return [place.slice(0, space) as StopKind, place.slice(space + 1)];
};

/** The versions in whose runs a place occurs. */
export function erasOf(place: Place): readonly EraVersion[] {
  const [kind, name] = split(place);
  const found = Object.hasOwn(occurring[kind], name) ? occurring[kind][name] : undefined;
  return [...(found ?? '')].map((at) => eraVersions[Number(at)] as EraVersion);
}

/** Returns the breakpoint that stops at a place. */
export function stopAt(place: Place): BreakpointOn {
  const [kind, name] = split(place);
  const slash = name.lastIndexOf('/');
  switch (kind) {
    case 'function':
      return { on: 'function', name };
    case 'channel':
      return { on: 'channel', name };
    case 'cri':
      return { on: 'cri', method: name };
    case 'op':
      return { on: 'config-op', op: name as 'ADD' };
    case 'pleg':
      return { on: 'pleg-event', type: name };
    case 'decision':
      return { on: 'decision', rule: name };
    case 'event':
      return { on: 'kube-event', reason: name };
    case 'log':
      return { on: 'log', message: globOf(name) };
    case 'step':
      return { on: 'step', fn: name.slice(0, slash), step: name.slice(slash + 1) };
    case 'record':
      return { on: 'record', kind: name as RecordKind };
    case 'worker':
      return { on: 'worker', state: name as 'sync' };
    case 'manager':
      return { on: 'record', kind: 'manager' };
    default:
      return kind satisfies never;
  }
}

const words = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split(' '));

/** By name: the minor versions that have it. */
const spanOf = new Map(
  Object.entries(spans).flatMap(([span, names]) => {
    const [first = '', last = ''] = span.split('..');
    const from = first === '' ? 0 : minorOf(first as MinorVersion);
    const to = last === '' ? Number.POSITIVE_INFINITY : minorOf(last as MinorVersion);
    return words(names).map((name) => [name, [from, to] as const] as const);
  }),
);
function has(era: EraVersion, name: string): boolean {
  const [from, to] = spanOf.get(name) ?? [0, Number.POSITIVE_INFINITY];
  return minorOf(era) >= from && minorOf(era) <= to;
}

interface Spot {
  readonly name: string;
  readonly place: Place;
  readonly within: boolean;
}

/** The names under which somebody looks for a place. */
function namesOf(kind: StopKind, name: string): readonly string[] {
  switch (kind) {
    case 'function':
      return [name, ...(/[./]/.test(name) ? [name.replace(/^.*[./]/, '')] : [])];
    case 'channel':
      return [name.replace(/ \*$/, '')];
    case 'cri':
      return [name, `${name}Request`, `${name}Response`];
    case 'step':
      return (name.slice(name.lastIndexOf('/') + 1).match(/\w+/g) ?? []).filter((word) =>
        /[a-z][A-Z]|^[A-Z]/.test(word),
      );
    case 'record':
    case 'log':
      return [];
    default:
      return [name];
  }
}

/** By name: its places. A place of that name comes before one at which it is used. */
const spots = new Map<string, Spot[]>();
function add(spot: Spot): void {
  const key = keyOf(spot.name);
  const known = spots.get(key);
  if (known) known.push(spot);
  else spots.set(key, [spot]);
}
const KINDS: readonly StopKind[] = ['function', 'channel', 'op', 'cri', 'pleg', 'worker', 'event', 'step', 'decision'];
// A decision is made within the function that it is named after.
for (const kind of KINDS)
  for (const of of Object.keys(occurring[kind]))
    if (kind !== 'decision' || !Object.hasOwn(occurring.function, of))
      for (const name of namesOf(kind, of)) add({ name, place: `${kind} ${of}`, within: false });
for (const [place, names] of Object.entries(within))
  for (const name of words(names)) add({ name, place: place as Place, within: true });

for (const [place, written] of Object.entries(texts))
  for (const name of written ?? []) add({ name, place: place as Place, within: true });

const became = new Map(oldNames.flatMap((old) => old.names.map((name) => [keyOf(name), { name, old }] as const)));
const changed = new Map(
  changes.flatMap((change) => change.names.map((name) => [keyOf(name), { name, change }] as const)),
);
const noRun = new Map(
  unsimulated.flatMap((entry) => entry.names.map((name) => [keyOf(name), { name, entry }] as const)),
);

/** All names that have an answer, as the source writes them. */
export const knownNames: readonly string[] = [
  ...new Set([
    ...[...spots.values()].flatMap((list) => list.map(({ name }) => name)),
    ...[...became.values(), ...noRun.values(), ...changed.values()].map(({ name }) => name),
  ]),
];

/** Most places that a name is answered with. */
const MOST_STOPS = 3;

/** The answers to one name; none if nobody knows it. A place in runs of `era` comes before one of other versions. */
export function answersTo(name: string, era: EraVersion): readonly NameAnswer[] {
  const key = keyOf(name);
  const stops = (spots.get(key) ?? []).flatMap((spot): NameAnswer[] => {
    const eras = erasOf(spot.place).filter((version) => has(version, spot.name));
    return eras.length === 0 ? [] : [{ kind: 'stop', ...spot, on: stopAt(spot.place), eras }];
  });
  const here = stops.filter((stop) => stop.kind === 'stop' && stop.eras.includes(era));
  const old = became.get(key);
  const change = changed.get(key)?.change;
  const no = noRun.get(key);
  const today: readonly NameAnswer[] = old
    ? [{ kind: 'became', name: old.name, text: old.old.became, ...(old.old.change && { change: old.old.change }) }]
    : change && here.length === 0
      ? [{ kind: 'became', name, text: change.title, change: change.id }]
      : [];
  const never: readonly NameAnswer[] =
    no && here.length === 0 ? [{ kind: 'unsimulated', name: no.name, because: no.entry.because }] : [];
  // Whoever looks for an old name in a newer version wants to know first what it is called there.
  return here.length > 0
    ? [...here.slice(0, MOST_STOPS), ...today]
    : [...today, ...never, ...stops.slice(0, MOST_STOPS)];
}

/** The names in what was typed or pasted: the whole, and the identifiers of a line of code. */
function namesIn(typed: string): readonly string[] {
  const whole = typed.trim().replace(/^[#>\d.\s`*]+|[`*:]+$/g, '');
  const identifiers = whole.match(/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g) ?? [];
  // A sentence has words that are names, too: what is written as no word is meant.
  const parts = identifiers
    .filter((one) => /[a-z][A-Z]|\w\.\w|^[A-Z]{3,}$/.test(one))
    .flatMap((one) => (one.includes('.') ? [one, one.replace(/^.*\./, '')] : [one]));
  return [...new Set([whole, whole.replace(/\(.*$/, ''), ...parts])];
}

/** Most answers to what was typed. */
const MOST_ANSWERS = 6;
const messages = Object.keys(occurring.log);
/** Texts that are not messages of these. */
const unseen = [
  ...unsimulated.flatMap(({ names }) => names.filter((name) => name.includes(' '))),
  ...Object.values(texts).flatMap((written) => written ?? []),
];

/**
 * The answers to what somebody typed or pasted: a name, a heading, a line of code, or a line of the log. The first is
 * the likeliest.
 */
export function answersIn(typed: string, era: EraVersion): readonly NameAnswer[] {
  const text = typed.trim();
  if (text === '') return [];
  const lines = messagesIn(text, messages).map(
    (message): NameAnswer => ({
      kind: 'stop',
      name: message,
      place: `log ${message}`,
      on: stopAt(`log ${message}`),
      eras: erasOf(`log ${message}`),
      within: false,
    }),
  );
  const now = lines.filter((line) => line.kind === 'stop' && line.eras.includes(era));
  const said = (now.length > 0 ? now : lines).slice(0, 1);
  const never = said.length > 0 ? [] : messagesIn(text, unseen).flatMap((message) => answersTo(message, era));
  // A line of the log is full of words that are names, too.
  const named = said.length > 0 || never.length > 0 ? [] : namesIn(text).flatMap((name) => answersTo(name, era));
  const seen = new Set<string>();
  return [...said, ...never, ...named]
    .filter((answer) => {
      const id = answer.kind === 'stop' ? answer.place : `${answer.kind} ${answer.name}`;
      return !seen.has(id) && seen.add(id);
    })
    .slice(0, MOST_ANSWERS);
}
