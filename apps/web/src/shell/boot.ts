import { followUndo } from '../commands/undo.js';
import { followBreakpoints, markBreakpoints } from '../features/breakpoints/breakpoints.js';
import { embedOptions } from '../features/embed/embed-options.js';
import { useGraph } from '../features/graph/graph-store.js';
import { followLessons, lessonIn, openLessonLink } from '../features/lessons/lessons-start.js';
import { askAgain, followWork, marked, wasUnfinished } from '../features/long-work/hold.js';
import { followHints } from '../features/narrator/hints.js';
import { followNotes } from '../features/notes/notes.js';
import { keep, keptMoment, restoreMoment } from '../features/reload/keep.js';
import { followOutcomes } from '../features/scenarios/outcomes-store.js';
import { embedded } from '../page/embedded.js';
import { forget, recall, remember } from '../page/storage.js';
import { useUI } from '../page/ui-store.js';
import { useSession } from '../run/session-store.js';
import { workerConnection } from '../session/connection/worker-connection.js';
import { session } from '../session/session.js';
import { followSheets } from './sheets.js';

/** The token in a URL's fragment (`#token=…`), and the URL without it. */
export function takeToken(href: string): { token: string | null; clean: string } {
  const url = new URL(href);
  const params = new URLSearchParams(url.hash.replace(/^#/, ''));
  const token = params.get('token');
  if (token === null) return { token: null, clean: href };
  params.delete('token');
  url.hash = params.toString();
  return { token, clean: url.href };
}

/** The moment in a URL's fragment (`#run=…`), undecoded; null where there is none. */
export function momentIn(href: string): string | null {
  return new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('run');
}

/** The audience's token in a URL's fragment (`#class=…`): whoever opens that follows a presenter. It stays there, to be passed on. */
export function classIn(href: string): string | null {
  return new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get('class');
}

/** The simulation in a worker of this page. */
export function simulate(): void {
  forget('token', 'session');
  session.connect(workerConnection, 'worker');
}

/** To the agent that served this page. What speaks to it is loaded only then. */
async function attach(token: string): Promise<void> {
  const { socketConnection } = await import('../session/connection/socket-connection.js');
  session.connect(() => socketConnection(token), 'agent');
}

/** True once the session answers; false where it will not. */
function sessionReady(): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      const { phase } = useSession.getState();
      if (phase === 'starting') return false;
      resolve(phase === 'ready');
      return true;
    };
    if (look()) return;
    const stop = useSession.subscribe(() => {
      if (look()) stop();
    });
  });
}

/** As `sessionReady`, of a session that can go to moments: whatever else is there gives way to a simulation. */
export async function simulationReady(): Promise<boolean> {
  if (!(await sessionReady()) || useSession.getState().info?.capabilities.scenarios !== true) simulate();
  return sessionReady();
}

/** Goes to the moment of a link, or to where its run begins. Whatever is wrong with it is said, and the session stays as it is. */
export async function openLink(moment: string, start = false): Promise<void> {
  await marked(moment, async () => {
    const { openText } = await import('../features/share/share-open.js');
    await openText(moment, simulationReady, start);
  });
}

/** The same with the moment kept of this tab. */
const restore = (moment: string, start = false): Promise<void> =>
  marked(moment, () => restoreMoment(moment, sessionReady, start));

/** Narrower than this (CSS px) the graph's usual level is not whole. */
const WHOLE_LOOP = 940;

/** A frame in an article is a simulation at the moment of its link, or in a lesson; it has no agent, no class, and keeps nothing. */
function bootFrame(): void {
  followNotes();
  const { level, theme } = embedOptions(location.search);
  useUI.setState({ theme });
  // What fits into a frame can be read in it.
  useGraph.setState({ chosen: level ?? (innerWidth < WHOLE_LOOP ? 'story' : 'loop') });
  simulate();
  followWork();
  followLessons();
  const open = () => {
    const moment = momentIn(location.href);
    const lesson = moment === null ? lessonIn(location.href) : null;
    if (lesson) void openLessonLink(lesson, sessionReady);
    else if (moment !== null) void openLink(moment);
  };
  open();
  window.addEventListener('hashchange', open);
}

/**
 * Chooses what to connect to: an agent when the URL carries its token (or did, before a reload), else the simulation, at the
 * moment of a link where the URL has one. A page without a token never asks its host for anything.
 */
export function boot(): void {
  followOutcomes();
  followBreakpoints();
  markBreakpoints();
  if (embedded) {
    bootFrame();
    return;
  }
  const audience = classIn(location.href);
  if (audience !== null) {
    // A page that follows is no page of a session, whatever link is put into its address.
    window.addEventListener('hashchange', () => location.reload());
    void import('../features/classroom/follower.js').then(({ follow }) => follow(audience));
    return;
  }
  followNotes();
  const { token, clean } = takeToken(location.href);
  if (token !== null) {
    // The token must not stay in the address bar, the history, or a copied link.
    history.replaceState(null, '', clean);
    remember('token', token, 'session');
  }
  const moment = token === null ? momentIn(location.href) : null;
  const lesson = token === null && moment === null ? lessonIn(location.href) : null;
  const held = token ?? (moment === null && !lesson ? recall('token', 'session') : null);
  // A reload goes back to where this tab stood; a link that is opened for the first time is what was asked for.
  const kept = held || lesson ? null : keptMoment(moment ?? '');
  if (held) void attach(held);
  else simulate();
  if (lesson) void openLessonLink(lesson, sessionReady);
  else if (moment !== null && wasUnfinished(moment)) askAgain('link', (start) => openLink(moment, start));
  else if (kept !== null && wasUnfinished(kept)) askAgain('tab', (start) => restore(kept, start));
  else if (kept !== null) void restore(kept);
  else if (moment !== null) void openLink(moment);
  followWork();
  followUndo();
  followHints();
  followSheets();
  followLessons();
  keep(() => momentIn(location.href) ?? '');
  // A link that is put into the address of the open page.
  window.addEventListener('hashchange', () => {
    if (classIn(location.href) !== null) {
      location.reload();
      return;
    }
    const next = momentIn(location.href);
    const lesson = next === null ? lessonIn(location.href) : null;
    if (lesson) void openLessonLink(lesson, simulationReady);
    else if (next !== null) void openLink(next);
  });
}
