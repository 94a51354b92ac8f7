import './outline.css';
import { type KeyboardEvent, type MouseEvent, memo, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { same } from '../../run/same.js';
import { trace } from '../../run/trace-store.js';
import { useThrottled } from '../../run/use-throttled.js';
import { outlineLines } from './outline-lines.js';
import { filterLines, keyInTree, type OutlineRow, rowsOf } from './outline-rows.js';

/** The graph as a tree of text: for screen readers, for search, and for users who prefer to read. */
export function Outline({ filter }: { readonly filter: string }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [focused, setFocused] = useState('');
  const tree = useRef<HTMLDivElement>(null);
  const wanted = filter.trim();
  const { rows, found } = useThrottled(
    () => {
      const all = outlineLines(trace.state, t, (id, open) => wanted !== '' || (folded.get(id) ?? open));
      const filtered = filterLines(all, wanted);
      return { rows: rowsOf(filtered.lines, wanted === '' ? folded : NONE), found: filtered.found };
    },
    `${lang}|${wanted}|${[...folded].join()}`,
    250,
  );

  const tabbable = rows.some((r) => r.line.id === focused) ? focused : rows[0]?.line.id;
  const rowAt = (target: EventTarget) => {
    const id = (target as Element).closest<HTMLElement>('[data-line]')?.dataset.line;
    return rows.findIndex((r) => r.line.id === id);
  };
  const fold = (id: string, open: boolean) => setFolded((before) => new Map(before).set(id, open));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = rowAt(event.target);
    const row = rows[at];
    if (!row) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (row.line.selection) runCommand('view.select', row.line.selection);
      else if (row.expanded !== null) fold(row.line.id, !row.expanded);
      return;
    }
    const next = keyInTree(event.key, rows, at);
    if (!next) return;
    event.preventDefault();
    if (next.fold) fold(next.fold.id, next.fold.open);
    const id = rows[next.to]?.line.id ?? '';
    tree.current?.querySelector<HTMLElement>(`[data-line="${CSS.escape(id)}"]`)?.focus();
  };
  const onClick = (event: MouseEvent) => {
    const row = rows[rowAt(event.target)];
    if (!row) return;
    const twisty = (event.target as Element).closest('.sl-outline-twisty') !== null;
    if (row.expanded !== null && (twisty || !row.line.selection)) fold(row.line.id, !row.expanded);
    else if (row.line.selection) runCommand('view.select', row.line.selection);
  };

  return (
    <>
      <p className="sl-visually-hidden" role="status">
        {wanted !== '' && t('outline.found', { n: found })}
      </p>
      <p className="sl-visually-hidden" id="sl-outline-keys">
        {t('outline.keys')}
      </p>
      {rows.length === 0 ? (
        <p className="sl-empty">{t('outline.none')}</p>
      ) : (
        <div
          ref={tree}
          role="tree"
          tabIndex={-1}
          className="sl-outline u-height-full u-scroll"
          aria-label={t('outline.label')}
          aria-describedby="sl-outline-keys"
          data-testid="outline"
          onKeyDown={onKeyDown}
          onClick={onClick}
          onFocus={(e) => setFocused(rows[rowAt(e.target)]?.line.id ?? focused)}
        >
          {rows.map((row) => (
            <Row key={row.line.id} row={shallow(row)} tabbable={row.line.id === tabbable} />
          ))}
        </div>
      )}
    </>
  );
}
const NONE: ReadonlyMap<string, boolean> = new Map();

/** Returns a row without its children, so that it is drawn again only when it changes itself. */
const shallow = (row: OutlineRow): OutlineRow => ({ ...row, line: { ...row.line, children: [] } });

const Row = memo(function Row({ row, tabbable }: { readonly row: OutlineRow; readonly tabbable: boolean }) {
  const { line, level, expanded, place, of } = row;
  const selected = useUI((s) => line.selection !== null && same(s.selection, line.selection));
  return (
    <div
      role="treeitem"
      className="sl-outline-row u-line u-gap-6 u-target u-tabular"
      data-line={line.id}
      data-level={level}
      data-bad={line.bad || undefined}
      data-link={line.selection !== null || undefined}
      tabIndex={tabbable ? 0 : -1}
      aria-level={level}
      aria-setsize={of}
      aria-posinset={place}
      aria-expanded={expanded ?? undefined}
      aria-selected={selected}
      style={{ paddingLeft: 8 + (level - 1) * 18 }}
    >
      <span className="sl-outline-twisty u-flex-none u-text-center u-faint" aria-hidden="true">
        {expanded === null ? '' : expanded ? '▾' : '▸'}
      </span>
      <span className="sl-outline-text u-flex-none u-break">{line.text}</span>
      {line.note !== '' && (
        <span className="sl-outline-note u-min-width-0 u-break u-weight-400 u-dim">
          {line.bad && <span aria-hidden="true">✕ </span>}
          {line.note}
        </span>
      )}
    </div>
  );
}, same);
