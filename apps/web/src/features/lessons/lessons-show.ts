/**
 * Shows what a step of a lesson is about with the page's own commands, and brings back what the page showed before the
 * lesson.
 */
import { type LessonPanel, type LessonPlace, type LessonStep, type Show, selectAt } from '@syncloop/core/lessons';
import { type PlainCommandId, runCommand } from '../../commands/index.js';
import { forget } from '../../page/storage.js';
import { type InspectorTab, type Selection, useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { matches, PHONE } from '../../ui/use-media.js';
import { graphView, type Level, useGraph } from '../graph/index.js';
import { sourcePositionOf } from '../source/logic/source-position.js';
import { useSource } from '../source/source-store.js';

/** Below this width the inspector lies over the graph: it is opened only on demand. */
const OVER_GRAPH = '(max-width: 1180px)';

const OPENS: Readonly<Record<LessonPanel, PlainCommandId>> = {
  timeline: 'view.timeline',
  records: 'view.records',
  log: 'view.log',
  events: 'view.events',
  console: 'view.console',
  branches: 'view.branches',
  breakpoints: 'view.breakpoints',
  scenarios: 'view.scenarios',
  manifests: 'view.manifests',
  pods: 'view.pods',
};
const LEFT: ReadonlySet<LessonPanel> = new Set<LessonPanel>(['scenarios', 'manifests', 'pods']);

export function openPanel(panel: LessonPanel): void {
  const { left, bottom } = useUI.getState();
  if ((LEFT.has(panel) ? left : bottom) !== panel) runCommand(OPENS[panel]);
}

let levelBefore: Level | null | undefined;
/** The inspector's state as the last step set it; as long as it is so, the next step may close it. */
let shown: { readonly selection: Selection | null; readonly tab: InspectorTab } | null = null;

export function lookBefore(): void {
  levelBefore = useGraph.getState().chosen;
  shown = null;
}

/** The detail of the graph as it was before the lesson. */
export function putBack(): void {
  closeShown();
  if (levelBefore === undefined) return;
  if (levelBefore !== null) runCommand(`view.level.${levelBefore}`);
  else if (useGraph.getState().chosen !== null) {
    forget('level');
    useGraph.setState({ chosen: null });
  }
  levelBefore = undefined;
}

const looks = ({ show }: LessonStep): boolean => show.tab !== undefined || show.source !== undefined;

/** The graph at the step's level, and as large as the step wants it. */
export function makeRoom(step: LessonStep, level: Level | undefined): void {
  if (level && useGraph.getState().chosen !== level) runCommand(`view.level.${level}`);
  if (!looks(step)) closeShown();
}

/** All but the level. */
export function showStep(step: LessonStep, place: LessonPlace): void {
  const { show } = step;
  const phone = matches(PHONE);
  if (show.panel && !LEFT.has(show.panel) && !phone) openPanel(show.panel);
  const selected = show.select ? selectAt(show.select, place) : null;
  if (selected) useUI.setState({ selection: selected });
  if (looks(step) && !matches(OVER_GRAPH)) lookInside(show);
  else closeShown();
  // The panels must have their sizes first.
  if (selected) requestAnimationFrame(() => requestAnimationFrame(() => graphView.reveal()));
}

/** Shows the point at which the run stopped: the record, and the source of a function if there is room for it. */
export function showStop(fn: string | undefined, place: LessonPlace): void {
  const { last } = place.store;
  useUI.setState({ selection: { kind: 'record', seq: last } });
  if (!matches(OVER_GRAPH)) lookInside({ ...(fn !== undefined && { source: fn }) });
  requestAnimationFrame(() => requestAnimationFrame(() => graphView.reveal()));
}

/** Opens in the inspector what a step is about. */
export function lookInside(show: Show, place?: LessonPlace): void {
  const selected = place && show.select ? selectAt(show.select, place) : undefined;
  const tab = show.source !== undefined ? 'source' : (show.tab ?? 'what');
  useUI.setState({ inspectorOpen: true, inspectorTab: tab, ...(selected && { selection: selected }) });
  shown = { selection: useUI.getState().selection, tab };
  releaseSource();
  if (show.source !== undefined) compareSource(show.source);
}

function closeShown(): void {
  const { inspectorOpen, inspectorTab, selection } = useUI.getState();
  if (shown && inspectorOpen && inspectorTab === shown.tab) {
    const same = JSON.stringify(selection) === JSON.stringify(shown.selection);
    useUI.setState({ inspectorOpen: false, ...(same && { selection: null }) });
  }
  shown = null;
  releaseSource();
}

let held: object | null = null;
/** Selects the function that a step is about: an open call of the selection, else its last call. */
function compareSource(fn: string): void {
  const { records } = trace;
  const open = sourcePositionOf(records, useUI.getState().selection);
  let position = open.calls.some((c) => c.fn === fn) ? open : null;
  for (let seq = records.last; !position && seq >= records.first; seq--) {
    const record = records.get(seq);
    if (record?.kind === 'enter' && record.fn === fn) position = sourcePositionOf(records, { kind: 'record', seq });
  }
  const call = position?.calls.findLast((c) => c.fn === fn);
  if (!position || !call) return;
  held = position;
  useSource.setState({ held: position, picked: { at: position.seq, call: call.seq } });
}
function releaseSource(): void {
  if (held && useSource.getState().held === held) useSource.setState({ held: null, picked: null });
  held = null;
}
