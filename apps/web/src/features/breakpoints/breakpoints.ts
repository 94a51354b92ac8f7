/** The page's breakpoints: kept in this browser, and sent to each session that the page connects to. */
import type { BreakpointSpec, Hit, SessionInfo } from '@syncloop/core/debug';
import { describeBreakpoint } from '@syncloop/core/debug/breakpoints';
import { t } from '../../i18n/index.js';
import { recall, remember } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { setMarks } from '../../run/marks.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useBreakpoints } from './breakpoints-store.js';
import { marksOf } from './logic/breakpoint-marks.js';

const KEY = 'breakpoints';
const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const canBreak = (): boolean => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.breakpoints === true;
};

async function send(specs: readonly BreakpointSpec[]): Promise<void> {
  const statuses = await session.command({ do: 'breakpoints', set: specs.map((s) => ({ ...s })) });
  useBreakpoints.setState({ status: Object.fromEntries(statuses.map((s) => [s.spec.id, s])) });
}

/** Replaces all breakpoints, here and in the session. Rejects, and changes nothing if the session refuses them. */
export async function setBreakpoints(specs: readonly BreakpointSpec[]): Promise<void> {
  await send(specs);
  useBreakpoints.setState({ specs });
  remember(KEY, JSON.stringify(specs));
}

/** Asks how often each was met. */
export async function refreshCounts(): Promise<void> {
  const { specs } = useBreakpoints.getState();
  if (specs.length > 0 && canBreak()) await send(specs);
}

/** Resets a breakpoint's count, which also arms it again if its one hit was over. */
export async function countAnew(id: string): Promise<void> {
  const { specs } = useBreakpoints.getState();
  await send(specs.filter((s) => s.id !== id));
  await send(specs);
}

/** Reads the breakpoints that this browser has kept. Their reader is loaded only if there is something to read. */
async function readKept(kept: string | null): Promise<readonly BreakpointSpec[]> {
  if (kept === null || kept === '[]') return [];
  const { keptBreakpoints } = await import('./logic/kept-breakpoints.js');
  const { specs, lost } = keptBreakpoints(kept);
  if (lost.length > 0) notify(t('breakpoints.lost', { why: lost.join('; ') }), true);
  return specs;
}

/** Keeps the session's breakpoints as the page has them, after a load, a restart or a lost connection. */
export function followBreakpoints(): () => void {
  const kept = readKept(recall(KEY)).then((specs) => useBreakpoints.setState({ specs }));
  let sentTo: SessionInfo | null = null;
  let length = 0;
  let last: Hit | undefined;
  return useSession.subscribe(({ phase, info }) => {
    const { written } = session;
    if (phase === 'ready' && info && info !== sentTo) {
      const anew = sentTo?.id !== info.id;
      sentTo = info;
      if (anew) useBreakpoints.setState({ found: null });
      void kept
        .then(() => greet(anew))
        .catch((error: unknown) => notify(t('breakpoints.refused', { why: reason(error) }), true));
    }
    if (written.length === length && written.at(-1) === last) return;
    length = written.length;
    last = written.at(-1);
    useBreakpoints.setState({ written: [...written] });
  });
}

/** A session that others use too keeps their breakpoints, as long as this page has none. */
async function greet(anew: boolean): Promise<void> {
  const { specs } = useBreakpoints.getState();
  if (!canBreak() || specs.length === 0) {
    useBreakpoints.setState({ status: {} });
    return;
  }
  // A run that begins counts from nothing.
  if (anew && useSession.getState().kind === 'worker') await send([]);
  await send(specs);
}

/** Most stops of the run that are marked. */
const MOST_STOPS = 500;

/** Marks the places at which breakpoints were met. Returns a function that ends it. */
export function markBreakpoints(): () => void {
  /** The breakpoint hits at which the run in view has stopped. */
  let stops: Hit[] = [];
  let { info } = useSession.getState();
  const mark = () => {
    const { specs, written, found } = useBreakpoints.getState();
    const lang = useUI.getState().lang === 'en' ? 'en' : 'zh';
    const words = (id: string): string => {
      const spec = found?.id === id ? found.spec : specs.find((s) => s.id === id);
      return spec ? describeBreakpoint(spec, lang) : id;
    };
    setMarks(KEY, marksOf(stops, written, found?.hits ?? [], words));
  };
  const ends = [
    useBreakpoints.subscribe((s, before) => {
      if (s.written !== before.written || s.found !== before.found) mark();
    }),
    useSession.subscribe((s, before) => {
      const another = s.info !== info;
      info = s.info;
      if (another) stops = [];
      if (s.run.hits !== before.run.hits) stops = [...stops, ...(s.run.hits ?? [])].slice(-MOST_STOPS);
      if (another || (s.run.hits !== before.run.hits && s.run.hits?.length)) mark();
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
