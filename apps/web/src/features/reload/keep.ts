/**
 * Keeps what a reload of this tab must not lose: what is open, selected and filtered, and the run with its position, as
 * a link would have it. It is in the tab's own storage; whatever in it is not ours or not valid is dropped.
 */
import { t } from '../../i18n/index.js';
import { forget, recall, remember, TAB } from '../../page/storage.js';
import {
  type BottomPanel,
  type InspectorTab,
  type LeftPanel,
  notify,
  type UIState,
  useUI,
} from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { StoppedError, session } from '../../session/session.js';
import { registered } from '../../shell/registry.js';
import { useInspector } from '../inspector/inspector-store.js';
import { useLongWork } from '../long-work/long-work-store.js';
import { knowRun, opening } from '../long-work/stop-work.js';

/** The time after a pause, and between two writes while it runs (ms). */
const AFTER_PAUSE = 400;
const WHILE_RUNNING = 5_000;
const AFTER_CHANGE = 200;

/** The part of the page's state that is kept. */
export type KeptView = Partial<
  Pick<UIState, 'left' | 'bottom' | 'inspectorOpen' | 'inspectorTab' | 'filter' | 'follow' | 'tryDismissed'>
>;

/** The panels and tabs that there are. */
export interface Panels {
  readonly left: readonly LeftPanel[];
  readonly bottom: readonly BottomPanel[];
  readonly inspector: readonly InspectorTab[];
}

const oneOf = <T extends string>(value: unknown, all: readonly T[]): value is T => all.includes(value as T);

/** The usable parts of a stored text; {} if the text was not written by this page. */
export function viewFrom(stored: string | null, panels: Panels): KeptView {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? 'null');
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const { left, bottom, inspectorTab, filter, ...flags } = value as Readonly<Record<string, unknown>>;
  const flag = (name: 'inspectorOpen' | 'follow' | 'tryDismissed') =>
    typeof flags[name] === 'boolean' ? { [name]: flags[name] } : {};
  return {
    ...(oneOf(left, panels.left) && { left }),
    ...(oneOf(bottom, panels.bottom) && { bottom }),
    ...(oneOf(inspectorTab, panels.inspector) && { inspectorTab }),
    ...(typeof filter === 'string' && filter.length <= 500 && { filter }),
    ...flag('inspectorOpen'),
    ...flag('follow'),
    ...flag('tryDismissed'),
  };
}

function viewNow(): KeptView {
  const { left, bottom, inspectorOpen, inspectorTab, filter, follow, tryDismissed } = useUI.getState();
  return { left, bottom, inspectorOpen, inspectorTab, filter, follow, tryDismissed };
}

interface KeptMoment {
  /** The link that the page was opened with, '' for none: another one is another run. */
  readonly link: string;
  readonly moment: string;
}

function momentFrom(stored: string | null): KeptMoment | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    const { link, moment } = value as Readonly<Record<string, unknown>>;
    return typeof link === 'string' && typeof moment === 'string' ? { link, moment } : null;
  } catch {
    return null;
  }
}

/** The moment kept of this tab's run, which was opened with that link; null if there is none. */
export function keptMoment(link: string): string | null {
  const kept = momentFrom(recall(TAB.moment, 'session'));
  return kept && kept.link === link ? kept.moment : null;
}

/** Puts the panels back. Before anything is drawn, so that nothing jumps. */
export function restoreView(): void {
  const panels: Panels = {
    left: registered('left').map(({ id }) => id),
    bottom: registered('bottom').map(({ id }) => id),
    inspector: registered('inspector').map(({ id }) => id),
  };
  useUI.setState(viewFrom(recall(TAB.view, 'session'), panels));
}

/** Goes to the last position of this tab's run, or to its start. Unusable parts are dropped, with a notice. */
export async function restoreMoment(moment: string, ready: () => Promise<boolean>, start = false): Promise<void> {
  try {
    const { decodeMoment } = await import('../share/share.js');
    const { load, selection } = await decodeMoment(moment);
    if (!(await ready())) return;
    const { to, ...begin } = load;
    const stopped = await opening({ load }, session.command(start || !to ? begin : { ...begin, to }));
    if (stopped) return;
    if (selection) {
      const { inspectorOpen } = useUI.getState();
      useUI.setState({ selection, inspectorOpen });
      useInspector.setState({ trail: [] });
    }
    notify(t('keep.restored'));
  } catch (error) {
    if (error instanceof StoppedError) return;
    forget(TAB.moment, 'session');
    notify(t('keep.dropped', { why: error instanceof Error ? error.message : String(error) }), true);
  }
}

/** Returns whether this page keeps its run: only a simulation can be run again. */
const keeps = () => {
  // The mark that a question is about must not be lost before there is an answer.
  if (useLongWork.getState().question) return false;
  const { phase, kind, info } = useSession.getState();
  return (
    phase === 'ready' && kind === 'worker' && info?.capabilities.scenarios === true && info.capabilities.rewind === true
  );
};

async function keepMoment(link: string, first: string): Promise<void> {
  if (!keeps()) return;
  const { run, info } = useSession.getState();
  // The page opens in this state by itself: there is nothing to keep.
  if (run.steps === (info?.opened?.step ?? 0) && info?.scenario === first && link === '') {
    forget(TAB.moment, 'session');
    return;
  }
  try {
    const { encodeMoment, loadOf } = await import('../share/share.js');
    const load = loadOf(await session.command({ do: 'spec' }));
    const { selection } = useUI.getState();
    const moment = await encodeMoment({ load, ...(selection && { selection }) });
    if (!keeps()) return;
    knowRun(load);
    remember(TAB.moment, JSON.stringify({ link, moment }), 'session');
  } catch (error) {
    // The moment is too large: a reload starts over. A page that is just being left fails here too, and must not lose
    // what is kept.
    if (error instanceof Error && error.name === 'LinkError') forget(TAB.moment, 'session');
  }
}

/** Keeps both as they change. `link`: that of the page's address now. Returns a function that ends it. */
export function keep(link: () => string): () => void {
  let viewTimer: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Number.POSITIVE_INFINITY;
  let first = '';
  const saveView = () => {
    clearTimeout(viewTimer);
    viewTimer = undefined;
    remember(TAB.view, JSON.stringify(viewNow()), 'session');
  };
  const save = () => {
    timer = undefined;
    due = Number.POSITIVE_INFINITY;
    void keepMoment(link(), first);
  };
  const soon = (wait: number) => {
    const at = performance.now() + wait;
    if (at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(save, wait);
  };
  const ends = [
    useUI.subscribe((s, before) => {
      viewTimer ??= setTimeout(saveView, AFTER_CHANGE);
      if (s.selection !== before.selection && keeps()) soon(AFTER_PAUSE);
    }),
    useSession.subscribe(({ info, run, kind }, before) => {
      if (first === '' && info) first = kind === 'worker' ? info.scenario : ' ';
      if (info === before.info && run.seq === before.run.seq && run.running === before.run.running) return;
      if (keeps()) soon(run.running ? WHILE_RUNNING : AFTER_PAUSE);
    }),
  ];
  window.addEventListener('pagehide', saveView);
  return () => {
    for (const end of ends) end();
    clearTimeout(viewTimer);
    clearTimeout(timer);
    window.removeEventListener('pagehide', saveView);
  };
}
