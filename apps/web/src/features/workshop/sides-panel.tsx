import type { SideEntry } from '@syncloop/workshop/judge';
import { useEffect, useRef } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { WorkshopButton } from './code-panel.js';
import { alignSides, briefStatus, firstRow, type SideRow } from './logic/align.js';
import { type ShownSides, useWorkshop } from './workshop-store.js';
import './workshop.css';

/** The real kubelet's recording and the run with the learner's code side by side, at their first difference. */
export function SidesPanel() {
  const t = useT();
  const id = useSession((s) => s.info?.id);
  const sides = useWorkshop((s) => (s.sides && s.sides.session === id ? s.sides : null));
  if (!sides)
    return (
      <div className="sl-empty">
        <p>{t('workshop.sides.empty')}</p>
        <WorkshopButton />
      </div>
    );
  return <Both sides={sides} />;
}

function Both({ sides }: { readonly sides: ShownSides }) {
  const t = useT();
  const rows = alignSides(sides);
  const first = firstRow(rows, sides);
  const marked = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another difference is brought into sight
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [sides]);
  return (
    <div className="sl-sides-panel u-column u-height-full" data-testid="sides-panel">
      <div className="sl-code-bar u-row u-wrap u-gap-6">
        <span className="u-fs-2 u-grow">{t('workshop.sides.pod', { pod: sides.pod })}</span>
        <button type="button" className="sl-button" onClick={() => useUI.setState({ bottom: 'code' })}>
          {t('panel.code')}
        </button>
        <WorkshopButton />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="u-scroll u-grow u-min-height-0" aria-label={t('command.sides')} tabIndex={0}>
        <table className="sl-sides-table u-width-full u-fs-2 u-collapse">
          <thead>
            <tr>
              <th scope="col">{t('workshop.sides.real', { version: sides.kubelet })}</th>
              <th scope="col">{t('workshop.sides.yours')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <Row
                // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
                key={i}
                row={row}
                isFirst={i === first}
                before={beforeOf(rows, i)}
                ref={i === first ? marked : undefined}
              />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** The last status before a row, on each side. */
function beforeOf(
  rows: readonly SideRow[],
  i: number,
): { readonly real: string | null; readonly yours: string | null } {
  const last = (side: keyof SideRow) =>
    rows.slice(0, i).findLast((row) => row[side]?.kind === 'status')?.[side]?.text ?? null;
  return { real: last('real'), yours: last('yours') };
}

interface RowProps {
  readonly row: SideRow;
  readonly isFirst: boolean;
  readonly before: ReturnType<typeof beforeOf>;
  readonly ref: React.Ref<HTMLTableRowElement> | undefined;
}

function Row({ row, isFirst, before, ref }: RowProps) {
  const t = useT();
  const { real, yours } = row;
  const isSame = real !== null && yours !== null && real.text === yours.text;
  return (
    <tr
      ref={ref}
      data-same={isSame && !isFirst}
      data-first={isFirst || undefined}
      data-testid={isFirst ? 'sides-first' : undefined}
    >
      <td>
        {isFirst && <span className="sl-visually-hidden">{t('workshop.sides.first')}: </span>}
        <Entry entry={real} before={before.real} />
      </td>
      <td>
        <Entry entry={yours} before={before.yours} go />
      </td>
    </tr>
  );
}

function Entry({
  entry,
  before,
  go = false,
}: {
  readonly entry: SideEntry | null;
  readonly before: string | null;
  /** It leads to its moment. */
  readonly go?: boolean;
}) {
  const t = useT();
  const canGo = useSession(() => go && isAvailable('transport.go'));
  if (!entry) return <span className="u-faint">{t('workshop.sides.none')}</span>;
  const time = Math.round(entry.at * 1000);
  return (
    <>
      {canGo ? (
        <button
          type="button"
          className="sl-link u-tabular u-target"
          title={t('workshop.sides.goTo')}
          onClick={() => runCommand('transport.go', { time })}
        >
          {seconds(time)} s
        </button>
      ) : (
        <span className="u-tabular u-time">{seconds(time)} s</span>
      )}{' '}
      <code className="u-break">{entry.kind === 'status' ? briefStatus(before, entry.text) : entry.text}</code>
    </>
  );
}
