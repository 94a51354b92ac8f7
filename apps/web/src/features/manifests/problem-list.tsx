import type { Problem } from '@syncloop/core/manifest';
import { useT } from '../../i18n/index.js';
import { counted, fixesOf, placeOf, problemText } from './logic/manifests-problems.js';
import type { YAMLEditorHandle } from './yaml-editor.js';

/** Lines that are shown at most: behind them there is nothing that the first ones do not say. */
const MOST = 60;

/** All problems of the text as a list: each leads to its place, some can be mended here. */
export function ProblemList({
  problems,
  text,
  editor,
}: {
  readonly problems: readonly Problem[];
  readonly text: string;
  readonly editor: { readonly current: YAMLEditorHandle | null };
}) {
  const t = useT();
  const { errors, warnings, infos } = counted(problems);
  return (
    <details className="sl-problems" open={errors + warnings > 0} data-testid="problems">
      <summary>
        <span className="sl-strong">{t('manifests.problems')}</span>{' '}
        <span className="sl-small" role="status">
          {problems.length === 0
            ? t('manifests.problems.none')
            : t('manifests.problems.count', { errors, warnings, infos })}
        </span>
      </summary>
      <ul>
        {problems.slice(0, MOST).map((problem) => {
          const { line, col } = placeOf(text, problem.from);
          return (
            <li key={`${problem.from} ${problem.code} ${problem.path}`} data-severity={problem.severity}>
              <button
                type="button"
                className="sl-problem u-line u-gap-8 u-width-full u-target u-bare u-pointer u-text-left"
                onClick={() => editor.current?.goTo(problem.from, problem.to)}
              >
                <span className="sl-problem-kind u-flex-none u-fs-1 u-dim">
                  {t(`manifests.severity.${problem.severity}`)}
                </span>
                <span className="sl-tabular" title={t('manifests.at', { line, col })}>
                  {line}:{col}
                </span>
                <span className="sl-problem-text u-min-width-0 u-break">{problemText(t, problem)}</span>
              </button>
              {fixesOf(t, problem, text).map((fix) => (
                <button
                  key={fix.label}
                  type="button"
                  className="sl-button sl-quiet sl-problem-fix"
                  onClick={() => editor.current?.replace(fix.from, fix.to, fix.insert)}
                >
                  {fix.label}
                </button>
              ))}
              {problem.kubelet !== undefined && problem.code !== 'kubelet' && (
                <p className="sl-problem-kubelet u-break u-fs-1 u-mono u-faint" lang="en">
                  {problem.kubelet}
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
