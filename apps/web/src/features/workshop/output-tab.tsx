import type { LearnerLog } from '@syncloop/workshop/interpreter';
import { useT } from '../../i18n/index.js';

/** The lines that the code printed with `console.log`, each leading to its line. */
export function OutputTab({
  logs,
  goTo,
}: {
  readonly logs: readonly LearnerLog[];
  readonly goTo: (line: number) => void;
}) {
  const t = useT();
  if (logs.length === 0) return <p className="sl-empty">{t('workshop.noOutput')}</p>;
  return (
    <ol className="sl-workshop-output u-pad-0 u-margin-0 u-mono u-fs-2" data-testid="workshop-output">
      {logs.map(({ line, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same line may be printed twice
        <li key={i} className="u-row u-gap-8">
          <button type="button" className="sl-link u-flex-none u-tabular u-target" onClick={() => goTo(line)}>
            {t('workshop.line', { line })}
          </button>
          <span className="u-break">{text}</span>
        </li>
      ))}
    </ol>
  );
}
