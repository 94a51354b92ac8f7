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
  type ClassLesson,
  type ClassPointer,
  type ClassRun,
  type ClassView,
  type FollowerMessage,
  followerPlaces,
  type Hand,
  type LocalText,
  type PollDraft,
  type PresenterMessage,
  pollPhases,
  type Sight,
  type StageReport,
  stageLevels,
  stageProblems,
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
/** Longest moment of a raised hand: a message of a follower is small. */
export const MAX_HAND = 3_000;
export const MAX_NAME = 24;
/** Longest unit of a number. */
export const MAX_UNIT = 24;
/** The number that is farthest from 0, of answers and of what is right. */
export const LARGEST_NUMBER = 1e12;
/** Size of the values of a lesson's texts, as JSON, and of each. */
const MAX_VALUES = 8_000;
const MAX_VALUE = 1_000;
/** Most things in sight, and the size of all of them. */
const MOST_SIGHTS = 24;
const MAX_SIGHT = 4_000;

const count = whole(0);

const moment = (longest: number): Shape<string> =>
  refine(matching(/^v\d{1,6}\.[\w-]+$/, 'the text of a link, such as v1.j…'), ({ length }, r) => {
    if (length > longest) throw r.error(`it has ${length} characters`, `it may have ${longest}`);
  });
const run: Shape<ClassRun> = object({ n: whole(1), moment: moment(MAX_RUN) }, 'drop');

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

const lessonPosition = { name: matching(/^[a-z0-9-]{1,63}$/, 'the name of a lesson'), step: whole(0, 200) };
const valuesRead = json({ depth: 1, values: 200, characters: MAX_VALUES });
const values: Shape<ClassLesson['values']> = custom(valuesRead.schema, (r) => {
  r.object();
  // An object with a prototype, as messages have.
  const found = { ...(valuesRead.read(r) as { readonly [expression: string]: Json }) };
  if (!Object.values(found).every((value) => typeof value === 'string'))
    throw r.mustBe('an object whose values are texts');
  if (JSON.stringify(found).length > MAX_VALUES)
    throw r.error('it is too large', `it may have ${MAX_VALUES} characters as JSON`);
  return found as ClassLesson['values'];
});
const lesson: Shape<ClassLesson> = object(
  {
    ...lessonPosition,
    values,
    ended: optional(values),
    answer: optional(
      custom({ type: ['string', 'number', 'boolean'] }, (r) => {
        const { value } = r;
        if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
        if (typeof value === 'string' && value.length <= MAX_VALUE) return value;
        throw r.mustBe('a text, a number, true or false');
      }),
    ),
  },
  'drop',
);

/** Letters and digits of any script, and what stands between them in names; nothing that turns lines around. */
const givenName = matching(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'-]{0,23}$/u, 'a name of at most 24 letters');
const hand: Shape<Hand> = object({ moment: moment(MAX_HAND), time: count, name: optional(givenName) }, 'drop');

const words = (longest: number): Shape<string> =>
  refine(textOf(longest), (text, r) => {
    if (text.trim() === '') throw r.mustBe('a text');
  });
const localText = (longest: number): Shape<LocalText> =>
  refine(object({ en: optional(words(longest)), 'zh-CN': optional(words(longest)) }, 'drop'), (text, r) => {
    if (text.en === undefined && text['zh-CN'] === undefined)
      throw r.error('it is empty', 'it must have a text in en or zh-CN');
  });
const anyNumber = real(-LARGEST_NUMBER, LARGEST_NUMBER);
const poll: Shape<PollDraft> = refine(
  object(
    {
      question: localText(MAX_QUESTION),
      options: list(localText(MAX_OPTION)),
      number: optional(object({ unit: textOf(MAX_UNIT), tolerance: real(0, LARGEST_NUMBER) }, 'drop')),
      right: optional(anyNumber),
      lesson: optional(object(lessonPosition, 'drop')),
    },
    'drop',
  ),
  ({ right, options: { length }, number }, r) => {
    if (number) {
      if (length > 0) throw r.at('options').error(`it has ${length}`, 'a question for a number has no answers');
      return;
    }
    if (length < FEWEST_OPTIONS || length > MOST_OPTIONS)
      throw r
        .at('options')
        .error(`it has ${length}`, `it must be a list of ${FEWEST_OPTIONS} to ${MOST_OPTIONS} answers`);
    if (right !== undefined && !isPlace(right, length))
      throw r.at('right').mustBe(`a whole number from 0 to ${length - 1}`);
  },
);
/** True if a list of this length has an entry at this place. */
const isPlace = (at: number, length: number): boolean => Number.isInteger(at) && at >= 0 && at < length;

/** Returns true if this can be the right answer to the question: the place of an option, or a number. */
export const canBeRight = ({ options, number }: Pick<PollDraft, 'options' | 'number'>, right: number): boolean =>
  number !== undefined || isPlace(right, options.length);

/** Returns true if an answer, the place of an option or a number, is right; false while nothing is known to be. */
export const isRight = ({ number, right }: Pick<PollDraft, 'number' | 'right'>, answer: number): boolean =>
  right !== undefined && (number ? Math.abs(answer - right) <= number.tolerance + 1e-9 : answer === right);

const stageName = matching(/^[a-z0-9-]{1,63}$/, 'the name of a stage');
const level = oneOf(...stageLevels);
const report: Shape<StageReport> = object(
  {
    passed: list(level, stageLevels.length),
    first: optional(
      object(
        {
          level,
          case: matching(/^[a-z0-9][a-z0-9.-]{0,79}$/i, 'the name of a case'),
          problem: optional(oneOf(...stageProblems)),
        },
        'drop',
      ),
    ),
  },
  'drop',
);

const anyFollower = tagged(
  'type',
  {
    answer: { poll: whole(1), option: optional(whole(0, MOST_OPTIONS - 1)), number: optional(anyNumber) },
    hand: { hand: optional(hand) },
    stage: { stage: stageName, report },
    place: { place: oneOf(...followerPlaces), behind: whole(0, 1e12) },
  },
  'drop',
);
const follower = refine(anyFollower, (message, r) => {
  if (message.type === 'answer' && (message.option === undefined) === (message.number === undefined))
    throw r.error('it must have exactly one of option and number', 'send one of them');
}) as Shape<FollowerMessage>;
const presenter: Shape<PresenterMessage> = tagged(
  'type',
  {
    present: {},
    stop: {},
    listen: { address: matching(/^[\da-f.:]{2,45}$/i, 'an IP address') },
    run: { run },
    view: { view },
    pointer: { pointer: optional(pointer) },
    poll: { poll },
    phase: { phase: oneOf(...pollPhases), right: optional(anyNumber) },
    lesson: { lesson: optional(lesson) },
    stage: { stage: optional(stageName) },
    openHand: { number: whole(1) },
    lower: { number: optional(whole(1)) },
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
