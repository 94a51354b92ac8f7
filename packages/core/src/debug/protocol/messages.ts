/** The shapes of what comes over a connection: nothing of it is trusted, and only the fields known here are taken over. */
import { MAX_SOURCE } from '../../expression/index.js';
import {
  custom,
  type Fields,
  flag,
  json as jsonOf,
  list,
  map,
  object,
  oneOf,
  optional,
  positive,
  read,
  refine,
  rethrowing,
  type Shape,
  tagged,
  textOf,
  whole,
} from '../../shape/index.js';
import type { Json } from '../../trace/index.js';
import {
  type ClientMessage,
  type Command,
  countedUnits,
  type GoTarget,
  paces,
  type Speed,
  stepUnits,
} from './protocol.js';
import type { Intervention } from './run-spec.js';

/** A message that cannot be taken: which field is wrong, and what it should be. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Longest text of a manifest or scenario, in UTF-16 units. */
export const MAX_TEXT = 1_000_000;
const MAX_COUNT = 1_000_000;
/** Most deviations, and interventions, of one run. */
const MOST_PARTS = 100_000;

const name = textOf(500, 0);
const longText = textOf(MAX_TEXT, 0);
const index = whole(0, MAX_COUNT);
const count = whole(1, MAX_COUNT);
const anyWhole = whole(0);
const fromOne = whole(1);
/** What another part of the program reads by a shape of its own. */
const json = jsonOf({ depth: 32, values: 20_000, characters: MAX_TEXT }) as Shape<Json>;
/** Up to twenty assertions of an exploration, of each kind. */
const expressions = list(textOf(2000, 0), 20);
/** A name in the manifest folder, never a way out of it. */
const fileName = refine(textOf(255), (file, r) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file name
  if (file === '.' || file === '..' || /[/\\\u0000-\u001f]/.test(file))
    throw r.mustBe('a plain file name such as "web.yaml", without a folder');
});

/** How fast a session runs. */
export const speed: Shape<Speed> = tagged(
  'mode',
  { time: { factor: positive(1e9) }, steps: { perSecond: positive(1e9) }, max: {} },
  'drop',
);
const position = object({ step: anyWhole, seq: anyWhole }, 'drop');
const targets = { seq: anyWhole, step: anyWhole, iteration: anyWhole, time: anyWhole };
const target: Shape<GoTarget> = custom(
  { anyOf: Object.keys(targets).map((key) => object({ [key]: anyWhole }).schema) },
  (r) => {
    r.object();
    const keys = Object.keys(targets).filter((key) => !r.at(key).missing);
    const [key] = keys;
    if (key === undefined || keys.length > 1)
      throw r.error(`it has ${keys.join(' and ') || 'no place'}`, 'it must have one of seq, step, iteration and time');
    return { [key]: anyWhole.read(r.at(key)) } as unknown as GoTarget;
  },
);
const deviation = object({ decision: fromOne, goroutine: optional(fromOne), case: optional(index) }, 'drop');

/** Commands that change what happens. */
const interventions = {
  apply: { manifest: longText, file: optional(fileName), force: optional(flag) },
  delete: { file: fileName },
  kill: { uid: name, container: optional(name) },
  act: { action: json },
};
const intervention: Shape<Intervention> = object(
  { step: anyWhole, after: anyWhole, time: anyWhole, command: tagged('do', interventions, 'drop') },
  'drop',
);
const range = { from: optional(anyWhole), to: optional(anyWhole), limit: optional(count) };

/** The fields that each command may have. */
const commands = {
  ...interventions,
  pause: {},
  resume: {},
  manifests: {},
  objects: {},
  logs: { container: name, from: optional(anyWhole) },
  restart: {},
  scenarios: {},
  runnable: {},
  branches: {},
  spec: {},
  step: {
    unit: oneOf(...stepUnits),
    count: optional(count),
    back: optional(flag),
    goroutine: optional(fromOne),
    pod: optional(name),
  },
  go: { to: target },
  until: { where: textOf(MAX_SOURCE, 0), within: optional(fromOne), pace: optional(oneOf(...paces)) },
  rewind: { unit: oneOf(...countedUnits), to: anyWhole },
  speed: { speed },
  choose: { index },
  ask: { select: flag },
  breakpoints: { set: list(json, 1000) },
  take: { seq: fromOne, case: index },
  pick: { goroutine: fromOne },
  load: {
    scenario: name,
    text: optional(longText),
    seed: optional(whole(0, 0xffff_ffff)),
    deviations: optional(list(deviation, MOST_PARTS)),
    interventions: optional(list(intervention, MOST_PARTS)),
    to: optional(position),
  },
  branch: { name: optional(name) },
  switch: { branch: count, to: optional(position) },
  rename: { branch: count, name },
  drop: { branch: count },
  compare: { branch: count, with: optional(count) },
  explore: {
    schedules: optional(whole(1, 100_000)),
    strategy: optional(oneOf('random', 'pct', 'exhaustive')),
    never: optional(expressions),
    finally: optional(expressions),
    until: optional(fromOne),
  },
  why: { question: json },
  whyNot: { question: json },
  search: { breakpoint: json, ...range, backwards: optional(flag) },
  history: { path: name, ...range },
  lastWriter: { path: name, seq: optional(anyWhole) },
  diff: { from: anyWhole, to: anyWhole },
} satisfies { readonly [K in Command['do']]: Fields };
const command: Shape<Command> = tagged('do', commands, 'drop');

const message: Shape<ClientMessage> = tagged(
  'type',
  {
    hello: { protocol: index, session: optional(name), branch: optional(count), resumeFrom: optional(anyWhole) },
    command: { id: anyWhole, command },
    ack: { seq: anyWhole },
  },
  'drop',
);

/** A message with only the fields known here. Throws a ProtocolError. */
export const parseClientMessage = (value: unknown): ClientMessage =>
  rethrowing(ProtocolError, () => read(message, value, 'message'));

/** A command with only the fields known here. Throws a ProtocolError. */
export const parseCommand = (value: unknown): Command =>
  rethrowing(ProtocolError, () => read(command, value, 'command'));

const commandId = map(tagged('type', { command: { id: anyWhole } }, 'drop'), ({ id }) => id);

/** The id of a command message, for the refusal of a command that is otherwise wrong; null when there is none. */
export function commandIdOf(value: unknown): number | null {
  try {
    return read(commandId, value);
  } catch {
    return null;
  }
}
