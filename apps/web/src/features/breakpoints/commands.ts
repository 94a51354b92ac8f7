import { type BreakpointSpec, describeBreakpoint } from '@syncloop/core/debug/breakpoints';
import { command } from '../../commands/types.js';
import { type Undoable, undoable, undoableSaid } from '../../commands/undo.js';
import { type MessageKey, t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { canBreak, countAnew, setBreakpoints } from './breakpoints.js';
import { type SearchResult, useBreakpoints } from './breakpoints-store.js';
import {
  breakpointAt,
  switched,
  type Target,
  targetsOf,
  toggled,
  unique,
  withBreakpoint,
} from './logic/breakpoints.js';

/** Most hits of a search. */
const MOST_FOUND = 500;

/** Returns the breakpoints for the selection; the first is the one that B sets. */
export function targets(): readonly Target[] {
  const { selection } = useUI.getState();
  const record = selection?.kind === 'record' ? trace.records.get(selection.seq) : undefined;
  return unique(targetsOf(trace.state, selection, record));
}
/** Describes it in the page's language. */
export const inWords = (target: Target | BreakpointSpec): string =>
  describeBreakpoint({ id: '', ...target }, useUI.getState().lang === 'en' ? 'en' : 'zh');
export const isSet = (target: Target): boolean => {
  const found = breakpointAt(useBreakpoints.getState().specs, target);
  return found !== undefined && found.enabled !== false;
};

const specs = () => useBreakpoints.getState().specs;
const some = () => canBreak() && specs().length > 0;
const byId = (id: string): BreakpointSpec | undefined => specs().find((s) => s.id === id);

/** Sets them, so that it can be undone. */
async function change(next: readonly BreakpointSpec[], title: MessageKey = 'undo.breakpoints'): Promise<Undoable> {
  const before = specs();
  await setBreakpoints(next);
  return { title: t(title), undo: () => setBreakpoints(before), redo: () => setBreakpoints(next) };
}

async function toggle(target: Target | undefined): Promise<void> {
  if (!target) return;
  const next = toggled(specs(), target);
  undoable(await change(next.specs));
  notify(t(next.on ? 'breakpoints.added' : 'breakpoints.removed', { what: inWords(target) }));
}

async function find(spec: BreakpointSpec): Promise<SearchResult> {
  const hits = await session.command({ do: 'search', breakpoint: { ...spec }, limit: MOST_FOUND + 1 });
  const withRecords = hits.slice(0, MOST_FOUND).map((hit) => ({ ...hit, record: trace.records.get(hit.seq) }));
  return { id: spec.id, spec, hits: withRecords, more: hits.length > MOST_FOUND };
}

export const breakpointCommands = {
  'view.breakpoints': command({
    title: 'command.breakpoints',
    keys: ['K'],
    group: 'panels',
    run: () => useUI.setState((s) => ({ bottom: s.bottom === 'breakpoints' ? null : 'breakpoints' })),
  }),
  'breakpoint.toggle': command({
    title: 'command.breakpointToggle',
    keys: ['B'],
    group: 'ask',
    available: () => canBreak() && targets().length > 0,
    hint: () => (canBreak() ? 'blocked.select' : null),
    fits: () => 0.9,
    run: () => toggle(targets()[0]),
  }),
  'breakpoint.toggleAt': command<Target>({
    title: 'command.breakpointToggle',
    palette: false,
    available: canBreak,
    run: toggle,
  }),
  'breakpoint.new': command({
    title: 'command.breakpointNew',
    group: 'ask',
    available: canBreak,
    run: () => {
      useBreakpoints.setState({ editing: { spec: null } });
      useUI.setState({ bottom: 'breakpoints' });
    },
  }),
  'breakpoint.edit': command<string>({
    title: 'command.breakpointEdit',
    palette: false,
    available: canBreak,
    run: (id) => {
      const spec = byId(id);
      if (spec) useBreakpoints.setState({ editing: { spec } });
    },
  }),
  'breakpoint.put': command<BreakpointSpec>({
    title: 'command.breakpointPut',
    palette: false,
    available: canBreak,
    run: async (spec) => undoable(await change(withBreakpoint(specs(), spec))),
  }),
  'breakpoint.switch': command<{ readonly id: string; readonly on: boolean }>({
    title: 'command.breakpointSwitch',
    palette: false,
    available: canBreak,
    run: async ({ id, on }) => undoable(await change(specs().map((s) => (s.id === id ? switched(s, on) : s)))),
  }),
  'breakpoint.switchAll': command({
    title: 'command.breakpointSwitchAll',
    group: 'ask',
    available: some,
    run: async () => {
      const on = specs().every((s) => s.enabled === false);
      undoable(await change(specs().map((s) => switched(s, on))));
    },
  }),
  'breakpoint.remove': command<string>({
    title: 'command.breakpointRemove',
    palette: false,
    available: canBreak,
    run: async (id) => {
      undoableSaid(
        await change(
          specs().filter((s) => s.id !== id),
          'undo.breakpointsRemoved',
        ),
      );
      useBreakpoints.setState(({ found }) => (found?.id === id ? { found: null } : {}));
    },
  }),
  'breakpoint.removeAll': command({
    title: 'command.breakpointRemoveAll',
    group: 'ask',
    available: some,
    run: async () => undoableSaid(await change([], 'undo.breakpointsAllRemoved')),
  }),
  'breakpoint.countAnew': command<string>({
    title: 'command.breakpointCountAnew',
    palette: false,
    available: canBreak,
    run: countAnew,
  }),
  'breakpoint.find': command<string>({
    title: 'command.breakpointFind',
    palette: false,
    available: () => useSession.getState().phase === 'ready',
    run: async (id) => {
      const spec = byId(id);
      if (!spec || useBreakpoints.getState().finding !== '') return;
      useBreakpoints.setState({ finding: id });
      try {
        useBreakpoints.setState({ found: await find(spec) });
      } finally {
        useBreakpoints.setState({ finding: '' });
      }
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof breakpointCommands> {}
}
