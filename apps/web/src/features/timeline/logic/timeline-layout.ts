/** The rows of the timeline, from top to bottom, and their heights. */

import { shortPod } from '../../../units/text.js';
import { GROUPS, type GroupId } from './timeline-kinds.js';
import type { Lane } from './timeline-model.js';

/** px. Each row has a button that folds it: 24 px is the least that WCAG 2.5.8 has for one. */
export const ROW = { group: 24, slim: 24, marks: 14, span: 12, pad: 4 } as const;
/** Nesting that is drawn; deeper calls share the last row. */
export const MOST_ROWS = 6;
/** Groups of more lanes than this begin with slim ones. */
const CROWD = 8;

export interface Row {
  readonly id: string;
  readonly kind: 'group' | 'lane';
  readonly group: GroupId;
  /** All lanes that the row shows. */
  readonly lanes: readonly Lane[];
  readonly y: number;
  readonly height: number;
  /** Group: its lanes are not shown. Lane: a strip without spans. */
  readonly folded: boolean;
}
export interface RowChoices {
  /** The rows that the user folded or unfolded, by id; others are as they begin. */
  readonly folded: Readonly<Record<string, boolean>>;
}
export interface Layout {
  readonly rows: readonly Row[];
  readonly height: number;
  /** Same while all rows are. */
  readonly key: string;
}

/** Groups that begin folded, because they are seldom looked for. */
const QUIET: ReadonlySet<GroupId> = new Set(['other', 'sources', 'containers']);

/** p2 before p10. */
const byName = new Intl.Collator('en', { numeric: true });

export function layoutOf(lanes: readonly (Lane | undefined)[], { folded }: RowChoices): Layout {
  const groups = new Map<GroupId, Lane[]>();
  for (const lane of lanes) {
    if (!lane) continue;
    const group = groups.get(lane.group);
    if (group) group.push(lane);
    else groups.set(lane.group, [lane]);
  }
  const rows: Row[] = [];
  let y = 0;
  const add = (row: Omit<Row, 'y'>) => {
    rows.push({ ...row, y });
    y += row.height;
  };
  const choose = (id: string, otherwise: boolean) => (Object.hasOwn(folded, id) ? folded[id] === true : otherwise);
  for (const group of GROUPS) {
    const members = groups.get(group);
    if (!members) continue;
    members.sort((a, b) => byName.compare(a.name, b.name));
    if (members.length > 1) {
      const hidden = choose(`group ${group}`, QUIET.has(group));
      add({ id: `group ${group}`, kind: 'group', group, lanes: members, height: ROW.group, folded: hidden });
      if (hidden) continue;
    }
    for (const lane of members) {
      const id = `lane ${lane.name}`;
      const slim = choose(id, members.length > CROWD || (lane.deepest === 0 && members.length > 1));
      const height = slim ? ROW.slim : ROW.marks + ROW.span * Math.min(MOST_ROWS, Math.max(1, lane.deepest)) + ROW.pad;
      add({ id, kind: 'lane', group, lanes: [lane], height, folded: slim });
    }
  }
  return { rows, height: y, key: rows.map((r) => `${r.id}:${r.height}:${r.folded}:${r.lanes.length}`).join('|') };
}

/** The rows of a part of the height. */
export function rowsBetween(layout: Layout, top: number, bottom: number): Row[] {
  return layout.rows.filter((r) => r.y < bottom && r.y + r.height > top);
}
export function rowAt(layout: Layout, y: number): Row | undefined {
  return layout.rows.find((r) => y >= r.y && y < r.y + r.height);
}
/** Returns the row of each lane, by the lane's index. */
export function rowOfLanes(layout: Layout): Map<number, Row> {
  const out = new Map<number, Row>();
  for (const row of layout.rows) for (const lane of row.lanes) out.set(lane.index, row);
  return out;
}

/** The vertical position of a record in its row, px from the row's top. */
export function yInRow(row: Row, depth: number, span: boolean): number {
  if (row.folded || row.kind === 'group') return row.height / 2;
  if (!span) return ROW.marks / 2;
  return ROW.marks + ROW.span * (Math.min(depth, MOST_ROWS - 1) + 0.5);
}

/** Returns a goroutine's name without what its group has already. */
export function laneTitle(lane: Lane): string {
  return shortPod(lane.name.replace(/^podWorker |^probe /, ''));
}
