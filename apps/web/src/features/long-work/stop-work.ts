/**
 * Work that takes long can always be stopped: the session is asked to stop, and if it does not react its worker is
 * ended and another one is started. After an unfinished load, a reload asks the user before it loads again.
 */
import type { Command, LoadStopped } from '@syncloop/core/debug';
import { t } from '../../i18n/index.js';
import { forget, recall, remember } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { SHOWN_AFTER } from '../../run/progress-store.js';
import { useSession } from '../../run/session-store.js';
import { workerConnection } from '../../session/connection/worker-connection.js';
import { session } from '../../session/session.js';
import { type Choice, type LongWork, useLongWork } from './long-work-store.js';

type LoadCommand = Extract<Command, { do: 'load' }>;

const LOOK_MILLIS = 500;
/**
 * The times after which the page shows that work takes long, or that the session is silent (ms). A worker's code may
 * have to be fetched first.
 */
const LONG_MILLIS = 3_000;
const SILENT_MILLIS = 2_000;
const STARTING_MILLIS = 10_000;

// --- what takes long

let stopping = false;

/** Looks now and then at the work under way. Returns a function that ends it. */
export function followWork(): () => void {
  let asked: { readonly since: number } | null = null;
  const look = () => {
    const { phase, run } = useSession.getState();
    const work = session.oldest;
    const starting = phase === 'starting';
    if (!work && !run.running && !starting && !stopping) {
      asked = null;
      put(null);
      return;
    }
    const now = performance.now();
    if (!asked) {
      const ping = { since: now };
      const pong = session.ping();
      if (pong) {
        asked = ping;
        void pong.then(() => {
          if (asked === ping) asked = null;
        });
      }
    }
    const silent = asked ? now - asked.since : 0;
    const long = work ? now - work.since : 0;
    const isSilent = silent >= (starting ? STARTING_MILLIS : SILENT_MILLIS);
    if (long < LONG_MILLIS && !isSilent && !stopping) {
      put(null);
      return;
    }
    const { busy, steps, time } = session.latest ?? run;
    put({
      title: work?.title ?? (starting ? 'progress.starting' : 'progress.running'),
      seconds: Math.floor(Math.max(long, silent) / 1000),
      silent: isSilent ? Math.floor(silent / 1000) : 0,
      steps: busy?.steps ?? steps,
      time: busy?.time ?? time,
      ...(busy?.of !== undefined && { of: busy.of }),
      stopping,
    });
  };
  const ends = session.onConnect(() => {
    asked = null;
  });
  const before = session.onStop;
  session.onStop = () => void stopWork();
  const timer = setInterval(look, LOOK_MILLIS);
  window.addEventListener('pagehide', leave);
  return () => {
    clearInterval(timer);
    window.removeEventListener('pagehide', leave);
    ends();
    session.onStop = before;
  };
}

function put(held: LongWork | null): void {
  const now = useLongWork.getState().held;
  if (JSON.stringify(now) !== JSON.stringify(held)) useLongWork.setState({ held });
}

/** Stops or leaves long work for Escape. False if there is nothing that it could stop or leave. */
export function stopOnEscape(): boolean {
  const { held, question } = useLongWork.getState();
  if (question) {
    question.choices.at(-1)?.run();
    return true;
  }
  const work = session.oldest;
  if (!held && (!work || performance.now() - work.since < SHOWN_AFTER)) return false;
  void stopWork();
  return true;
}

// --- stopping

/** Stops the work under way, for certain. */
export async function stopWork(): Promise<void> {
  if (stopping) return;
  stopping = true;
  const { held } = useLongWork.getState();
  if (held) put({ ...held, stopping });
  try {
    const reacted = await session.stop();
    if (reacted) {
      // The session reports its position right after the answer.
      await new Promise((resolve) => setTimeout(resolve, 0));
      notify(t('held.stopped', { steps: (session.latest?.steps ?? 0).toLocaleString(useUI.getState().lang) }));
    } else if (useSession.getState().kind === 'worker') endForCertain();
    else notify(t('held.agentSilent'), true);
  } finally {
    stopping = false;
    put(null);
  }
}

/** A run as far as this feature has to know it; the rest of a link is passed on as it came. */
export interface Run {
  readonly load: LoadCommand;
}
/** Functions of features that open again what was in view when its worker was ended. They set them when they start. */
export interface Reopeners {
  /** Opens a run at its last position; at its beginning, if `to` is null. */
  run(run: Run, to: LoadCommand['to'] | null): Promise<void>;
  /** Returns the function that opens the file in view again; null if what is in view is not a file. */
  file(): (() => Promise<void>) | null;
}
const reopeners: Partial<Reopeners> = {};
export function setReopeners(some: Partial<Reopeners>): void {
  Object.assign(reopeners, some);
}

/** Ends the worker, starts another, and asks how to go on: nothing that the user made is lost. */
function endForCertain(): void {
  const openFile = reopeners.file?.();
  if (openFile) {
    fresh();
    ask('held.ended', 'held.endedRecording', [
      { id: 'again', label: 'held.openAgain', run: answer(openFile) },
      another,
    ]);
    return;
  }
  const { info } = useSession.getState();
  const { loading, latest } = session;
  // A load reports only the decisions that it has reached.
  const to = loading || !latest ? null : { step: latest.steps, seq: latest.seq };
  const steps = to?.step ?? latest?.busy?.steps ?? 0;
  const run = loading ? runOf(loading) : { load: runNow(info?.scenario, info?.seed) };
  held = true;
  fresh();
  const reopen = (there: boolean) =>
    answer(async () => {
      held = false;
      await reopeners.run?.(run, there ? to : null);
      if (there && !to) await session.command({ do: 'go', to: { step: steps } });
      if (!held) forget(MARK, 'session');
    });
  ask('held.ended', 'held.endedText', [
    ...(steps > 0 ? [{ id: 'there', label: 'held.there', run: reopen(true) } as const] : []),
    { id: 'start', label: 'held.start', run: reopen(false) },
    another,
  ]);
}

function fresh(): void {
  session.end();
  session.connect(workerConnection, 'worker');
}

/** The run in view, as far as it is known here: asking the session is no longer possible. */
function runNow(scenario = '', seed?: number): LoadCommand {
  const load = lastRun;
  return load && load.scenario === scenario ? load : { do: 'load', scenario, ...(seed !== undefined && { seed }) };
}
let lastRun: LoadCommand | null = null;
/** Called with each description that the session gives of its run. */
export function knowRun(load: LoadCommand): void {
  lastRun = load;
}

const another: Choice = {
  id: 'another',
  label: 'held.another',
  run: () => {
    useLongWork.setState({ question: null });
    useUI.setState({ left: 'scenarios' });
  },
};

const ask = (title: 'held.ended' | 'held.unfinishedLink' | 'held.unfinishedTab', text: string, choices: Choice[]) =>
  useLongWork.setState({ question: { title, text: text as 'held.endedText', choices } });

const answer = (work: () => Promise<void>) => () => {
  useLongWork.setState({ question: null });
  work().catch((error: unknown) => notify(error instanceof Error ? error.message : String(error), true));
};

// --- what did not finish

const MARK = 'unfinished';
/** A reload sooner than this (ms) did not wait for it. */
const HASTY_MILLIS = 1_500;
/** The mark stays: it was ended, and has not been opened again. */
let held = false;
let markedSince = Number.NEGATIVE_INFINITY;
const leave = () => {
  if (!held && performance.now() - markedSince < HASTY_MILLIS) forget(MARK, 'session');
};

/**
 * Opens a link's or this tab's moment. It leaves a mark, so that the next page knows if this one was left before the
 * end.
 */
export async function marked(text: string, work: () => Promise<void>): Promise<void> {
  markedSince = performance.now();
  held = false;
  remember(MARK, text, 'session');
  try {
    await work();
  } finally {
    if (!held) forget(MARK, 'session');
  }
}

export const wasUnfinished = (text: string): boolean => recall(MARK, 'session') === text;

/** Asks before unfinished work is done again. */
export function askAgain(what: 'link' | 'tab', open: (start: boolean) => Promise<void>): void {
  ask(what === 'link' ? 'held.unfinishedLink' : 'held.unfinishedTab', 'held.unfinishedText', [
    { id: 'start', label: 'held.atStart', run: answer(() => open(true)) },
    { id: 'again', label: 'held.again', run: answer(() => open(false)) },
    { id: 'leave', label: 'held.leave', run: () => useLongWork.setState({ question: null }) },
  ]);
}

let underWay: Run | null = null;
/** Remembers a run while its load is under way. Resolves with whether it was stopped before it got there. */
export async function opening(run: Run, loaded: Promise<LoadStopped | undefined>): Promise<boolean> {
  underWay = run;
  try {
    const result = await loaded;
    knowRun(run.load);
    return result !== undefined;
  } finally {
    if (underWay === run) underWay = null;
  }
}
const runOf = (load: LoadCommand): Run =>
  underWay && underWay.load.scenario === load.scenario && underWay.load.text === load.text ? underWay : { load };
