import { stepUnits } from '../debug/protocol/commands.js';
import { compile, ExpressionError } from '../expression/index.js';
import { type EraVersion, eraVersions } from '../kubelet/era/versions.js';
import { YamlSource } from '../scenario/document/document.js';
import { readingScenario, ScenarioError } from '../scenario/document/errors.js';
import { contentName as name } from '../scenario/document/name.js';
import { parseScenario, placeInGroup } from '../scenario/document/parse.js';
import { expectationSchema, expected } from '../scenario/document/parse-expectation.js';
import { readAction, stepSchema } from '../scenario/document/parse-steps.js';
import type { LocalText } from '../scenario/document/scenario.js';
import {
  about,
  custom,
  duration,
  flag,
  list,
  literal,
  object,
  oneOf,
  optional,
  Reader,
  readFields,
  real,
  type Schema,
  type Shape,
  text,
  whole,
} from '../shape/index.js';
import type {
  AnswerValue,
  ArticleName,
  Ask,
  Check,
  Criterion,
  Exercise,
  GoPlace,
  Lesson,
  LessonRun,
  LessonStep,
  Move,
  Select,
} from './lesson.js';
import { lessonGroups, levels, panels, parts, tabs } from './names.js';
import { codesOf, holesOf, linksOf, withoutAddresses } from './text.js';

/** Longest texts, in characters: nobody reads a wall. */
export const MAX_TEXT_EN = 420;
export const MAX_TEXT_ZH = 260;

const expression: Shape<string> = custom({ type: 'string', minLength: 1 }, (r) => {
  const source = r.string();
  tryCompile(r, source);
  return source;
});
function tryCompile(r: Reader, source: string): void {
  try {
    compile(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw r.error(`${error.message}, at character ${error.position + 1} of "${source}"`, 'correct it there');
  }
}

const oneText: Shape<string> = custom({ type: 'string', minLength: 1 }, (r) => {
  const value = r.string();
  if (value.trim() === '') throw r.error('it is empty', 'it must be a text');
  for (const hole of holesOf(value)) tryCompile(r, hole);
  const rest = value.replace(/\{\{.+?\}\}/g, '');
  if (/\{\{|\}\}/.test(rest)) throw r.error('a brace is left over', 'a value is written {{ expression }}');
  if ((rest.match(/`/g) ?? []).length % 2 === 1) throw r.error('a code mark is left over', 'write `name`');
  if ((rest.match(/\*\*/g) ?? []).length % 2 === 1) throw r.error('a mark is left over', 'write **words**');
  for (const address of linksOf(value))
    if (!/^https:\/\/\S+$/.test(address))
      throw r.error(`"${address}" is not the address of a link`, 'write [words](https://...)');
  return value;
});
const sorted = (list: readonly string[]) => [...new Set(list)].sort();
/** In both languages, with the same values and names in both. */
const both: Shape<LocalText> = (() => {
  const shape = object({ en: oneText, zh: oneText });
  return custom(shape.schema, (r) => {
    const { en, zh } = shape.read(r);
    for (const [what, of] of [
      ['the same {{ values }}', holesOf],
      ['the same `names`', codesOf],
      ['the same links', linksOf],
    ] as const) {
      const [a, b] = [sorted(of(en)), sorted(of(zh))];
      const missing = a.find((x) => !b.includes(x)) ?? b.find((x) => !a.includes(x));
      if (missing !== undefined)
        throw r
          .at(b.includes(missing) ? 'en' : 'zh')
          .error(`both languages have ${what}`, `"${missing}" is missing here, add it, or take it out of the other`);
    }
    const length = { en: withoutAddresses(en).length, zh: withoutAddresses(zh).length };
    const long = length.en > MAX_TEXT_EN ? 'en' : length.zh > MAX_TEXT_ZH ? 'zh' : null;
    if (long !== null)
      throw r
        .at(long)
        .error(
          `it has ${length[long]} characters, at most ${long === 'en' ? MAX_TEXT_EN : MAX_TEXT_ZH} are read`,
          'make two steps of it',
        );
    return { en, zh };
  });
})();

// --- moves -----------------------------------------------------------------------------------------------------------

const untilShape = object({
  until: about('Runs forward to the next record for which this holds.', expression),
  within: optional(about('How far the run may go, in its own time. Default: 60s.', duration)),
  pace: optional(
    about('play (the default): at the speed of the session. fast: as fast as it can.', oneOf('play', 'fast')),
  ),
});
const stepShape = object({
  unit: oneOf(...stepUnits),
  count: optional(whole(1, 10_000)),
  back: optional(flag),
  pod: optional(text),
});
const goFields = { time: duration, iteration: whole(0, 1_000_000), place: name };
const goShape: Shape<GoPlace> = custom(
  { anyOf: Object.entries(goFields).map(([k, s]) => object({ [k]: s }).schema) },
  (r) => {
    const fields = r.fields(Object.keys(goFields));
    if (Object.keys(fields).length !== 1) throw r.mustBe('a place with one of time, iteration and place');
    return readFields(
      r,
      Object.fromEntries(Object.entries(goFields).filter(([k]) => Object.hasOwn(fields, k))),
    ) as unknown as GoPlace;
  },
);
const own = ['until', 'step', 'go', 'take', 'ask'] as const;
/** Steps of scenarios in which time passes: a lesson has `until` for that. */
const slow: readonly string[] = ['wait', 'waitFor', 'assert', 'exec'];

const moveSchema: Schema = {
  anyOf: [
    untilShape.schema,
    object({ step: stepShape }).schema,
    object({ go: goShape }).schema,
    object({ take: about('Another channel that was ready at the last select.', text) }).schema,
    object({ ask: about('Whether the learner is asked at selects with several ready cases.', flag) }).schema,
    { $ref: '#/$defs/step' },
  ],
};
const move: Shape<Move> = custom({ $ref: '#/$defs/move' }, (r) => {
  const { line } = r;
  const key = own.find((k) => !r.at(k).missing);
  if (key === 'until') {
    const { until, within = 60_000_000, pace = 'play' } = untilShape.read(r);
    return { move: 'until', where: until, within, pace, line };
  }
  if (key !== undefined) {
    r.fields([key]);
    const at = r.at(key);
    if (key === 'step') {
      const { unit, count = 1, back, pod } = stepShape.read(at);
      return { move: key, unit, count, ...(back && { back: true }), ...(pod !== undefined && { pod }), line };
    }
    if (key === 'go') return { move: key, to: goShape.read(at), line };
    if (key === 'take') return { move: key, channel: at.string(), line };
    return { move: key, select: flag.read(at), line };
  }
  const action = readAction(r);
  if (slow.includes(action.verb)) throw r.error(`${action.verb} lets time pass`, 'write "until: expression" instead');
  return { move: 'act', action, line, json: r.value };
});
const moves = list(move);

// --- what is shown and checked ---------------------------------------------------------------------------------------

const selectFields = {
  pod: text,
  container: text,
  sandbox: text,
  channel: text,
  goroutine: text,
  part: oneOf(...parts),
  record: oneOf('here', 'cause'),
};
const select: Shape<Select> = custom(
  {
    type: 'object',
    properties: Object.fromEntries(Object.entries(selectFields).map(([k, s]) => [k, s.schema])),
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 2,
  },
  (r) => {
    const keys = Object.keys(r.fields(Object.keys(selectFields)));
    const main = keys.filter((k) => !(k === 'pod' && keys.includes('container')));
    if (main.length !== 1)
      throw r.error(`it has ${main.length} of ${Object.keys(selectFields).join(', ')}`, 'it must have one of them');
    return readFields(
      r,
      Object.fromEntries(Object.entries(selectFields).filter(([k]) => keys.includes(k))),
    ) as unknown as Select;
  },
);
const show = object({
  level: optional(oneOf(...levels)),
  select: optional(select),
  panel: optional(oneOf(...panels)),
  tab: optional(oneOf(...tabs)),
  source: optional(about("Upstream's function.", text)),
});
const check: Shape<Check> = custom({ anyOf: [expression.schema, expected.schema] }, (r) => {
  if (typeof r.value !== 'string') return expected.read(r);
  const source = expression.read(r);
  return { expression: source, text: source, line: r.line };
});
const checks = list(check);

const criterionShape = object({
  sentence: about('The condition, as a sentence for people.', both),
  progress: optional(
    about('What is shown while the condition does not hold. Its values are those of the moment.', both),
  ),
  check: about('An expression, or an expectation as scenarios have them.', check),
});
/** A check alone, as lessons had them before there were sentences, or one with its sentence. */
const criterion: Shape<Criterion> = custom({ anyOf: [criterionShape.schema, check.schema] }, (r) => {
  if (r.at('sentence').missing && r.at('check').missing && r.at('progress').missing) return check.read(r);
  const { check: own, ...texts } = criterionShape.read(r);
  return { ...own, ...texts };
});

// --- steps -----------------------------------------------------------------------------------------------------------

const answerValue: Shape<AnswerValue> = custom({ type: ['string', 'number', 'boolean'] }, (r) => {
  const { value } = r;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw r.mustBe('a text, a number, true or false');
});
const option = object({ value: answerValue, text: both, wrong: optional(both) });
const askShape = object({
  question: both,
  options: optional(list(option)),
  number: optional(object({ unit: text, tolerance: optional(real(0, 1e9)) })),
  // biome-ignore lint/suspicious/noThenProperty: a list, which nothing takes for a promise
  then: optional(moves),
  answer: about('Its value at the place reached is the right answer.', expression),
  right: about('Shown after any answer.', both),
});
const ask: Shape<Ask> = custom(askShape.schema, (r) => {
  const { options = [], number, then = [], ...rest } = askShape.read(r);
  if (options.length > 0 === (number !== undefined))
    throw r.error('it must have exactly one of options and number', 'write one of them');
  if (options.length === 1) throw r.at('options').error('a question needs two options at least', 'add another');
  const twice = options.findIndex((o, i) => options.findIndex((p) => p.value === o.value) < i);
  if (twice >= 0) throw r.at('options').at(twice).error('this value is there twice', 'make each another one');
  return { ...rest, options, then, ...(number && { number: { tolerance: 0, ...number } }) };
});
const exercise: Shape<Exercise> = object({ text: both, done: list(criterion), hint: both, solution: moves });

/** By name from the library, or as a document within the lesson. */
const scenario: Shape<LessonRun> = custom({ anyOf: [name.schema, { type: 'object' }] }, (r) => {
  if (typeof r.value === 'string') return { scenario: name.read(r) };
  if (typeof r.value !== 'object' || r.value === null) throw r.mustBe('a name, or a scenario');
  const source = r.source.textOf(r.path, r.value);
  try {
    return { scenario: parseScenario(source, 'scenario').name, scenarioText: source };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw r.error(error.message, 'correct it there');
  }
});

const nameObject = object({
  name: about('The name, as articles write it.', text),
  function: optional(about('The function at which a run stops, as the trace names it. Default: the name.', text)),
  at: optional(about('The record at which a run stops, if the name is not a function.', expression)),
  calledBy: optional(about('For a CRI call: the function or the goroutine that makes it.', text)),
  stops: optional(about('false: no run of this lesson reaches it.', flag)),
  now: about('What became of it, or who calls it and when.', both),
});
const quoted = (value: string): string => JSON.stringify(value);
const articleName: Shape<ArticleName> = custom(nameObject.schema, (r) => {
  const { function: fn, at, calledBy, stops = true, name, now } = nameObject.read(r);
  const given = [fn, at, calledBy, stops ? undefined : false].filter((x) => x !== undefined);
  if (given.length > 1) throw r.error('it has several of function, at, calledBy and stops: false', 'leave one of them');
  if (holesOf(now.en).length > 0)
    throw r.at('now').error('it contains a value of the run', 'take it out: the text holds for every run');
  const { line } = r;
  if (!stops) return { name, at: null, now, line };
  if (at !== undefined) return { name, at, now, line };
  if (calledBy !== undefined) {
    const caller = quoted(calledBy);
    const by = `(goroutine.name == ${caller} || any(goroutine.stack, s => s.fn == ${caller}))`;
    return { name, at: `kind == "cri-call" && method == ${quoted(name)} && ${by}`, calledBy, now, line };
  }
  const entered = fn ?? name;
  return { name, at: `kind == "enter" && fn == ${quoted(entered)}`, fn: entered, now, line };
});

const stepFields = {
  name: optional(name),
  era: optional(
    about("From this step on the lesson's scenario runs, from its start, on this version.", oneOf(...eraVersions)),
  ),
  title: both,
  text: optional(both),
  names: optional(about('Names that readers of articles look for here.', list(articleName))),
  do: optional(moves),
  show: optional(show),
  holds: optional(checks),
  ask: optional(ask),
  exercise: optional(exercise),
};
const stepObject = object(stepFields);
type StepAsWritten = LessonStep & { readonly era?: EraVersion };
const step: Shape<StepAsWritten> = custom(stepObject.schema, (r) => {
  const { do: todo = [], show: shown = {}, holds = [], names = [], ...rest } = stepObject.read(r);
  if (rest.ask && rest.exercise) throw r.at('exercise').error('a step has a question or an exercise', 'make two steps');
  if (!rest.text && !rest.ask && !rest.exercise) throw r.error('nothing to read', 'add text, ask or exercise');
  if (rest.exercise && rest.exercise.done.length === 0)
    throw r.at('exercise').at('done').error('it is empty', 'add the conditions that must hold');
  const twice = names.findIndex((n, i) => names.findIndex((m) => m.name === n.name) < i);
  if (twice >= 0) throw r.at('names').at(twice).error('this name is there twice', 'leave one of them');
  return { ...rest, names, do: todo, show: shown, holds, line: r.line };
});

/** The version of the format of lessons. A scenario within one has its own. */
const lessonAPIVersion = 'syncloop.dev/v1alpha1';

/** More would never be used: each time that a prediction was wrong takes one. */
const MOST_SEEDS = 8;

const lessonFile = object({
  apiVersion: literal(lessonAPIVersion),
  kind: oneOf('Lesson'),
  metadata: object({
    name,
    group: optional(about('The group that lists it.', oneOf(...lessonGroups))),
    order: optional(placeInGroup),
    title: both,
    summary: both,
    minutes: whole(1, 60),
  }),
  spec: object({
    goal: both,
    scenario,
    seed: optional(about("Default: the scenario's own.", whole(0, 2 ** 32 - 1))),
    otherSeeds: optional(
      about(
        'Seeds in which all that the lesson says holds as well. A prediction that was wrong is asked again in one of them.',
        list(whole(0, 2 ** 32 - 1), MOST_SEEDS),
      ),
    ),
    steps: list(step),
  }),
});

/** The schema of a lesson, JSON Schema 2020-12. It is made of what reads one. */
export function lessonSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lesson',
    description: 'Words, questions and exercises at places of a run.',
    ...lessonFile.schema,
    $defs: { move: moveSchema, step: stepSchema, expectation: expectationSchema() },
  };
}

/** A lesson from its YAML text. Throws a ScenarioError: `file:line:col: path: what is wrong; remedy`. */
export function parseLesson(source: string, file = 'lesson.yaml'): Lesson {
  return readingScenario(() => {
    const yaml = new YamlSource(source, file);
    return lessonOf(Reader.of(yaml.value, yaml), file);
  });
}

function lessonOf(root: Reader, file: string): Lesson {
  const { metadata, spec } = lessonFile.read(root);
  const { goal, seed, otherSeeds = [], steps } = spec;
  const stepsAt = root.at('spec').at('steps');
  const written = spec.scenario.scenarioText === undefined ? null : (root.at('spec').at('scenario').value as object);
  for (const [i, { era }] of steps.entries())
    if (era !== undefined && (i === 0 || written === null))
      throw stepsAt
        .at(i)
        .at('era')
        .error(
          "another version than that of the lesson's scenario can come after the first step, where that scenario is written in the lesson",
          i === 0 ? 'write it in spec.scenario' : 'write the scenario in spec.scenario',
        );
  if (steps.length === 0) throw stepsAt.error('it is empty', 'a lesson has at least one step');
  checkPlaces(steps, stepsAt);
  const own = steps.map(({ era, ...rest }) => ({
    ...rest,
    ...(era !== undefined && { run: runOf(spec.scenario, written, era) }),
  }));
  return { ...metadata, ...spec.scenario, goal, steps: own, otherSeeds, file, ...(seed !== undefined && { seed }) };
}

/** The lesson's scenario on another version: JSON is YAML, too. */
function runOf({ scenario: name }: LessonRun, written: object | null, era: EraVersion): LessonRun {
  const document = written as { readonly spec: object };
  return { scenario: name, scenarioText: JSON.stringify({ ...document, spec: { ...document.spec, era } }) };
}

/** Checks that `go: {place}` leads to a step before, in the same run. */
function checkPlaces(steps: readonly StepAsWritten[], r: Reader): void {
  const names = new Set<string>();
  const known = new Set<string>();
  for (const [i, s] of steps.entries()) {
    if (s.run && i === 0)
      throw r.at(i).at('scenario').error("the first step plays the lesson's own scenario", 'write it in spec.scenario');
    if (s.run) known.clear();
    for (const m of movesOf(s)) {
      if (m.move === 'go' && 'place' in m.to && !known.has(m.to.place))
        throw r
          .at(i)
          .error(`no step before is called "${m.to.place}"`, `there are: ${[...known].join(', ') || 'none'}`);
    }
    if (s.name !== undefined) {
      if (names.has(s.name)) throw r.at(i).at('name').error('another step has this name', 'choose another name');
      names.add(s.name);
      known.add(s.name);
    }
  }
}

/** Returns all moves of a step. */
export const movesOf = ({ do: todo, ask: a, exercise: e }: LessonStep): readonly Move[] => [
  ...todo,
  ...(a?.then ?? []),
  ...(e?.solution ?? []),
];
