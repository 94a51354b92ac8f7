import { type Change, minorOf, runningVersions } from '@syncloop/core/changes';
import { useT } from '../../i18n/index.js';

const FIRST = 12;
const LAST = 36;
/** The versions with a kubelet that runs here. */
const RUNNING: ReadonlySet<number> = new Set(runningVersions.map(minorOf));
/** The most marks in a row; more would not fit. */
const MARKS = 14;

/** All versions from v1.12 on, top to bottom, each with a mark for each change that it brought. */
export function Timeline({
  changes,
  onPick,
}: {
  readonly changes: readonly Change[];
  readonly onPick: (version: Change['since']) => void;
}) {
  const t = useT();
  const counts = new Map<number, number>();
  for (const { since } of changes) counts.set(minorOf(since), (counts.get(minorOf(since)) ?? 0) + 1);
  const versions = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  return (
    <nav
      className="sl-changes-timeline u-flex-none u-border-right"
      aria-label={t('changes.timeline')}
      data-testid="changes-timeline"
    >
      <ol className="u-pad-0 u-margin-0">
        {versions.map((minor) => {
          const n = counts.get(minor) ?? 0;
          const version = `v1.${minor}` as const;
          return (
            <li
              className="u-row u-gap-4"
              key={minor}
              data-runs={RUNNING.has(minor) || undefined}
              data-none={n === 0 || undefined}
            >
              <button
                type="button"
                className="sl-changes-pick u-row u-gap-6 u-bare u-pointer u-text u-fs-2 u-mono"
                disabled={n === 0}
                aria-label={t(n === 1 ? 'changes.versionLabelOne' : 'changes.versionLabel', { version, n })}
                onClick={() => onPick(version)}
              >
                <span className="sl-changes-tick u-panel" aria-hidden="true" />
                <span>{version}</span>
                <span className="sl-changes-marks u-fs-1" aria-hidden="true">
                  {'▪'.repeat(Math.min(n, MARKS))}
                </span>
              </button>
              {RUNNING.has(minor) && (
                <span className="sl-changes-runs u-nowrap u-fs-1 u-desired">{t('changes.runsHere')}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
