/**
 * The shapes of what comes over a classroom's connection: nothing of it is trusted, and only what is known here is
 * taken over.
 */
import { speed } from '../debug/protocol/commands.js';
import {
  custom,
  flag,
  json,
  list,
  matching,
  object,
  oneOf,
  optional,
  read,
  real,
  refine,
  rethrowing,
  type Shape,
  tagged,
  textOf,
  whole,
} from '../shape/index.js';
import type { Json } from '../trace/index.js';
import {
  type ClassPointer,
  type ClassRun,
  type ClassView,
  type FollowerMessage,
  followerPlaces,
  type LocalText,
  type PollDraft,
  type PresenterMessage,
  pollPhases,
  type Sight,
} from './types.js';

/** A message that cannot be taken: which field is wrong, and what it should be. */
export class ClassError extends Error {
  override readonly name = 'ClassError';
}

/** Longest run, in characters: with what socket.io adds it stays below what one message may have. */
export const MAX_RUN = 48_000;
export const MAX_QUESTION = 400;
export const MAX_OPTION = 160;
export const FEWEST_OPTIONS = 2;
export const MOST_OPTIONS = 6;
/** Most things in sight, and the size of all of them. */
const MOST_SIGHTS = 24;
const MAX_SIGHT = 4_000;

const count = whole(0);

const run: Shape<ClassRun> = object(
  {
    n: whole(1),
    moment: refine(matching(/^v\d{1,6}\.[\w-]+$/, 'the text of a link, such as v1.j…'), ({ length }, r) => {
      if (length > MAX_RUN) throw r.error(`it has ${length} characters`, `it may have ${MAX_RUN}`);
    }),
  },
  'drop',
);

const sightValues = json({ depth: 8, values: MAX_SIGHT, characters: MAX_SIGHT }) as Shape<Sight>;
const sight: Shape<Sight> = custom({ type: 'object', maxProperties: MOST_SIGHTS }, (r) => {
  const names = Object.keys(r.object());
  if (names.length > MOST_SIGHTS) throw r.error(`it has ${names.length} entries`, `it may have ${MOST_SIGHTS}`);
  for (const name of names)
    if (!/^[a-z][\w.-]{0,39}$/i.test(name))
      throw r.at(name).error('it is not a name', 'use letters, digits and dots', true);
  // An object with a prototype, as messages have.
  const values: { readonly [name: string]: Json } = { ...sightValues.read(r) };
  if (JSON.stringify(values).length > MAX_SIGHT)
    throw r.error('it is too large', `it may have ${MAX_SIGHT} characters as JSON`);
  return values;
});

const view: Shape<ClassView> = object(
  { n: whole(1), run: count, step: count, seq: count, time: count, running: flag, speed, sight },
  'drop',
);

/** A pointer between boxes is beyond the edges of one, but not far. */
const FARTHEST = 50;
const pointer: Shape<ClassPointer> = object(
  {
    box: matching(/^[A-Za-z][\w-]{0,39}$/, 'the name of a box'),
    x: real(-FARTHEST, FARTHEST),
    y: real(-FARTHEST, FARTHEST),
  },
  'drop',
);

const words = (longest: number): Shape<string> =>
  refine(textOf(longest), (text, r) => {
    if (text.trim() === '') throw r.mustBe('a text');
  });
const localText = (longest: number): Shape<LocalText> =>
  refine(object({ en: optional(words(longest)), 'zh-CN': optional(words(longest)) }, 'drop'), (text, r) => {
    if (text.en === undefined && text['zh-CN'] === undefined)
      throw r.error('it is empty', 'it must have a text in en or zh-CN');
  });
const poll: Shape<PollDraft> = refine(
  object(
    {
      question: localText(MAX_QUESTION),
      options: refine(list(localText(MAX_OPTION)), ({ length }, r) => {
        if (length < FEWEST_OPTIONS || length > MOST_OPTIONS)
          throw r.error(`it has ${length}`, `it must be a list of ${FEWEST_OPTIONS} to ${MOST_OPTIONS} answers`);
      }),
      right: optional(count),
    },
    'drop',
  ),
  ({ right = 0, options }, r) => {
    if (right >= options.length) throw r.at('right').mustBe(`a whole number from 0 to ${options.length - 1}`);
  },
);

const follower: Shape<FollowerMessage> = tagged(
  'type',
  {
    answer: { poll: whole(1), option: whole(0, MOST_OPTIONS - 1) },
    place: { place: oneOf(...followerPlaces), behind: whole(0, 1e12) },
  },
  'drop',
);
const presenter: Shape<PresenterMessage> = tagged(
  'type',
  {
    present: {},
    stop: {},
    run: { run },
    view: { view },
    pointer: { pointer: optional(pointer) },
    poll: { poll },
    phase: { phase: oneOf(...pollPhases) },
    endPoll: {},
  },
  'drop',
);

const parser =
  <T>(shape: Shape<T>, name: string) =>
  (value: unknown): T =>
    rethrowing(ClassError, () => read(shape, value, name));

/** Each throws a ClassError. */
export const parseFollowerMessage = parser(follower, 'message');
export const parsePresenterMessage = parser(presenter, 'message');
export const parseView = parser(view, 'view');
export const parsePoll = parser(poll, 'poll');

/** Returns the text in that language, or in the one that there is. */
export function inLanguage(text: LocalText, lang: keyof LocalText): string {
  return text[lang] ?? text.en ?? text['zh-CN'] ?? '';
}
