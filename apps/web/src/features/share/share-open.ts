/** Opens moments: of links, and of files. The session is asked first; if it refuses, everything stays as it was. */
import { type BreakpointSpec, MAX_BREAKPOINTS } from '@syncloop/core/debug/breakpoints';
import { undoable } from '../../commands/undo.js';
import { showLang, t } from '../../i18n/index.js';
import { embedded } from '../../page/embedded.js';
import { recall } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { StoppedError, session } from '../../session/session.js';
import { registered } from '../../shell/registry.js';
import { matches, PHONE } from '../../ui/use-media.js';
import { canBreak, setBreakpoints } from '../breakpoints/breakpoints.js';
import { useBreakpoints } from '../breakpoints/breakpoints-store.js';
import { useGraph } from '../graph/index.js';
import { momentInLesson, openLessonLink } from '../lessons/lessons-start.js';
import { opening } from '../long-work/stop-work.js';
import { takeNotes } from '../notes/notes.js';
import { decodeMoment, LinkError, type Moment } from './share.js';
import type { LinkView } from './share-view.js';

/** Returns their breakpoints that none of ours equals, under ids that are free. */
export function newBreakpoints(
  ours: readonly BreakpointSpec[],
  theirs: readonly BreakpointSpec[],
): readonly BreakpointSpec[] {
  const what = ({ id: _id, ...spec }: BreakpointSpec) => JSON.stringify(Object.entries(spec).sort());
  const known = new Set(ours.map(what));
  const ids = new Set(ours.map(({ id }) => id));
  const added: BreakpointSpec[] = [];
  for (const spec of theirs) {
    if (known.has(what(spec)) || ours.length + added.length >= MAX_BREAKPOINTS) continue;
    let id = spec.id;
    for (let n = 2; ids.has(id); n++) id = `${spec.id.slice(0, 50)}-${n}`;
    ids.add(id);
    known.add(what(spec));
    added.push({ ...spec, id });
  }
  return added;
}

async function takeBreakpoints(theirs: readonly BreakpointSpec[]): Promise<number> {
  if (theirs.length === 0 || !canBreak()) return 0;
  const before = useBreakpoints.getState().specs;
  const added = newBreakpoints(before, theirs);
  if (added.length === 0) return 0;
  const after = [...before, ...added];
  await setBreakpoints(after);
  undoable({
    title: t('share.tookBreakpoints'),
    undo: () => setBreakpoints(before),
    redo: () => setBreakpoints(after),
  });
  return added.length;
}

/** On a phone panels would cover the view; a frame has none, and its level is in its own address. */
function show(view: LinkView): void {
  const { level, left, bottom, inspectorTab, filter } = view;
  if (embedded) return;
  const phone = matches(PHONE);
  // The level is somebody else's choice, so it is not remembered.
  if (level && !phone) useGraph.setState({ chosen: level });
  if (phone) return;
  useUI.setState({
    left: registered('left').find((tab) => tab.id === left)?.id ?? null,
    bottom: registered('bottom').find((tab) => tab.id === bottom)?.id ?? null,
    ...(inspectorTab && { inspectorTab }),
    filter: filter ?? '',
  });
}

/**
 * Goes to a moment. Rejects, and changes nothing if the session refuses it. `ready`: resolves once there is a
 * session.
 */
export async function openMoment(moment: Moment, ready: () => Promise<boolean>): Promise<void> {
  const { load, lang, selection, lesson, branch, breakpoints = [], notes = [], view } = moment;
  if (!(await ready())) return;
  // A language that the user has chosen stays.
  const speakAsLink = async () => lang && recall('lang') === null && (await showLang(lang));
  if (lesson) {
    await speakAsLink();
    const opened = await openLessonLink(lesson, ready);
    if (opened && lesson.away) {
      await momentInLesson(load, () => opening(moment, session.command(load)));
      useUI.setState({ selection: selection ?? null, inspectorOpen: view?.inspectorOpen ?? selection !== undefined });
    }
    await takeNotes(notes);
    return;
  }
  const stopped = await opening(moment, session.command(load));
  if (branch !== undefined) await session.command({ do: 'rename', branch: 1, name: branch }).catch(() => {});
  await speakAsLink();
  if (view) show(view);
  const inspect = view?.inspectorOpen ?? selection !== undefined;
  useUI.setState({ selection: selection ?? null, inspectorOpen: inspect && !(view && matches(PHONE)) });
  const stops = await takeBreakpoints(breakpoints);
  const added = await takeNotes(notes);
  if (embedded) return;
  const said = [
    !stopped && t('share.opened'),
    added.length > 0 && t(added.length === 1 ? 'share.withNote' : 'share.withNotes', { n: added.length }),
    stops > 0 && t(stops === 1 ? 'share.withBreakpoint' : 'share.withBreakpoints', { n: stops }),
  ];
  const text = said.filter(Boolean).join(' ');
  if (text !== '') notify(text);
}

/** Does the same as `openMoment`; problems are shown to the user, and the session stays as it is. */
export async function openSaid(moment: () => Moment | Promise<Moment>, ready: () => Promise<boolean>): Promise<void> {
  try {
    await openMoment(await moment(), ready);
  } catch (error) {
    if (error instanceof StoppedError) return;
    const why = error instanceof Error ? error.message : String(error);
    notify(t(error instanceof LinkError ? `share.bad.${error.problem}` : 'share.notOpened', { why }), true);
  }
}

/** The run of a moment, before its first decision: nothing is executed to get there. */
export function atStart(moment: Moment): Moment {
  const { clock: _, ...load } = moment.load;
  return { ...moment, load: { ...load, to: { step: 0, seq: 0 } } };
}

/** Goes to the moment of a link's text, or to the beginning of its run. */
export const openText = (text: string, ready: () => Promise<boolean>, start = false): Promise<void> =>
  openSaid(async () => {
    const moment = await decodeMoment(text);
    return start ? atStart(moment) : moment;
  }, ready);
