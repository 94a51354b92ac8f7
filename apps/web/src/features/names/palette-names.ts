/** The palette's answers to a name, a line of the log or a heading. Loaded, with the names, when it opens. */
import { describeBreakpoint } from '@syncloop/core/debug/breakpoints';
import { answersIn, type NameAnswer } from '@syncloop/core/names';
import { isAvailable, runCommand } from '../../commands/index.js';
import type { Term } from '../../glossary/term.js';
import { terms } from '../../glossary/terms.js';
import { inLang } from '../../i18n/in-lang.js';
import { t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { HANDLERS } from '../../run/loop.js';
import { selectionAt } from '../../selection/map-place.js';
import type { PaletteEntry } from '../../shell/registry.js';
import { canBreak } from '../breakpoints/breakpoints.js';
import { isSet } from '../breakpoints/commands.js';
import type { Target } from '../breakpoints/logic/breakpoints.js';
import { eraOf } from '../eras/eras.js';
import { useLessons } from '../lessons/lessons-store.js';
import { type Topic, topics, topicsIn } from './logic/topics.js';

type Stop = Extract<NameAnswer, { kind: 'stop' }>;

const plain = (text: { readonly en: string; readonly zh: string }): string =>
  inLang({ ...text }, useUI.getState().lang).replaceAll('`', '');

/** Handlers have a breakpoint of their own kind everywhere on the page. */
const targetOf = ({ on }: Stop): Target =>
  on.on === 'function' && on.name !== undefined && (HANDLERS as readonly string[]).includes(on.name)
    ? { on: 'handler', name: on.name }
    : on;

/** The likeliest answer stands first. */
const entriesOf = (answers: readonly NameAnswer[]): readonly PaletteEntry[] =>
  answers
    .flatMap((answer) => [...goEntry(answer), entryOf(answer)])
    .map((entry, i) => ({ ...entry, answers: true, fits: 1 - i / 10 }));

/** Leads to a function of this version: to its place on the map and its source. */
function goEntry(answer: NameAnswer): readonly PaletteEntry[] {
  if (answer.kind !== 'stop' || answer.on.on !== 'function' || !answer.eras.includes(eraOf())) return [];
  const { name } = answer.on;
  if (name === undefined) return [];
  const title = t(answer.within ? 'names.goWithin' : 'names.go', { name: answer.name, fn: name });
  return [{ key: `go ${name}`, title, run: () => runCommand('source.open', name) }];
}

function entryOf(answer: NameAnswer): PaletteEntry {
  const { name } = answer;
  const key = `${answer.kind} ${answer.kind === 'stop' ? answer.place : name}`;
  if (answer.kind === 'stop') return stopEntry(answer, key);
  if (answer.kind === 'unsimulated') {
    const because = plain(answer.because);
    return { key, title: name, blocked: t('names.unsimulated', { because }), run: () => {} };
  }
  const { change } = answer;
  return {
    key,
    title: t('names.became', { name, text: plain(answer.text) }),
    run: () => runCommand('change.show', change === undefined ? { name } : { change }),
  };
}

function stopEntry(answer: Stop, key: string): PaletteEntry {
  const era = eraOf();
  const target = targetOf(answer);
  const where = describeBreakpoint({ id: '', ...target }, useUI.getState().lang === 'en' ? 'en' : 'zh');
  const { name } = answer;
  const other = answer.eras.includes(era) ? undefined : answer.eras.at(-1);
  const title = other
    ? t('names.other', { name, other, where })
    : t(isSet(target) ? 'names.set' : answer.within ? 'names.within' : 'names.stop', { name, where });
  const can = canBreak() && (other === undefined || isAvailable('era.choose'));
  return {
    key,
    title,
    ...(!can && { blocked: t('names.noBreakpoints') }),
    run: () => runCommand('name.stop', { target, ...(other && { era: other }) }),
  };
}

export const nameEntries = (typed: string): readonly PaletteEntry[] => entriesOf(answersIn(typed, eraOf()));

const topicEntry = (topic: Topic, typed: string, found: boolean): PaletteEntry[] => {
  const { to } = topic;
  const shared = {
    key: topic.id,
    words: topic.words.replaceAll('_', ' '),
    // The whole of a heading is not in the words that it has in common with the topic.
    also: `${found ? typed : ''} ${topic.title.en} ${topic.title.zh}`,
  };
  if (to.kind !== 'lesson') {
    const title = t('names.part', { title: plain(topic.title) });
    return [{ ...shared, title, run: () => runCommand('view.select', to) }];
  }
  const lesson = useLessons.getState().list.find(({ name }) => name === to.name);
  if (!lesson || !isAvailable('lesson.open')) return [];
  const title = t('names.lesson', { title: inLang({ ...lesson.title }, useUI.getState().lang) });
  return [{ ...shared, title, run: () => runCommand('lesson.open', { name: lesson.name }) }];
};

/** The glossary. What was found by its whole name also leads to its lesson and its source. */
export const termEntries = (typed: string): readonly PaletteEntry[] =>
  typed.trim() === '' ? [] : terms.flatMap((term) => termEntriesOf(term, typed.trim()));

function termEntriesOf(term: Term, typed: string): readonly PaletteEntry[] {
  const { name, words, text, place } = term;
  const { lang, selection } = useUI.getState();
  const entry: PaletteEntry = {
    key: name,
    title: name,
    words,
    detail: inLang({ ...text }, lang),
    run: () => runCommand('view.select', selectionAt(place, selection)),
  };
  // Its name in Chinese is one of its words.
  const whole =
    name.toLowerCase() === typed.toLowerCase() || (/\p{Script=Han}/u.test(typed) && words.split(' ').includes(typed));
  if (!whole) return [entry];
  // A function of that name is led to by its own entry, which stands first.
  const called = answersIn(typed, eraOf()).some((answer) => goEntry(answer).length > 0);
  return [
    { ...entry, answers: true, fits: called ? -2 : 0 },
    ...lessonEntry(term),
    ...(called ? [] : [sourceEntry(term)]),
  ];
}

function lessonEntry({ name, lesson }: Term): readonly PaletteEntry[] {
  const found = useLessons.getState().list.find((known) => known.name === lesson);
  if (!found || !isAvailable('lesson.open')) return [];
  const title = t('names.lesson', { title: inLang({ ...found.title }, useUI.getState().lang) });
  return [{ ...BELOW, key: `${name} lesson`, title, run: () => runCommand('lesson.open', { name: lesson }) }];
}
const sourceEntry = ({ name, source }: Term): PaletteEntry => ({
  ...BELOW,
  key: `${name} source`,
  title: t('names.source', { name: source }),
  run: () => runCommand('source.open', source),
});
/** Found with its term, and listed below it. */
const BELOW = { answers: true, fits: -1 } as const;

export function topicEntries(typed: string): readonly PaletteEntry[] {
  // A line of the log is not a heading.
  if (answersIn(typed, eraOf()).some(({ name }) => name.includes(' '))) return [];
  const found = topicsIn(typed);
  // A heading finds the parts that it is about; a few letters find those whose words they begin.
  return topics.flatMap((topic) =>
    found.length === 0 || found.includes(topic) ? topicEntry(topic, typed, found.includes(topic)) : [],
  );
}
