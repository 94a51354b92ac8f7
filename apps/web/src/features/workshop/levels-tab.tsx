import type { Difference } from '@syncloop/workshop/judge';
import { LEVELS, progressIn } from '@syncloop/workshop/progress';
import type { Stage } from '@syncloop/workshop/stages';
import { inLang } from '../../i18n/in-lang.js';
import { type Translate, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { problemIn } from './problem-in.js';
import { Sentence } from './prose.js';
import { canShow, showDifference } from './show.js';
import { type Judged, useWorkshop } from './workshop-store.js';

/** The levels of a stage, each by itself: what each asks, how far the code came, and its first difference. */
export function LevelsTab({ stage, judged }: { readonly stage: Stage; readonly judged: Judged | undefined }) {
  const t = useT();
  const passed = useWorkshop((s) => progressIn(s.progress, stage.name).passed);
  const at = judged?.at ?? null;
  return (
    <ol className="sl-workshop-levels u-pad-0 u-margin-0 u-grid u-gap-8" data-testid="workshop-levels">
      {LEVELS.map((level) => {
        const result = judged?.levels.find((one) => one.level === level);
        const state = at && LEVELS.indexOf(at.level) > LEVELS.indexOf(level) ? 'passed' : result?.state;
        const runs = at?.level === level;
        return (
          <li key={level} className="u-border u-round u-raised" data-state={state} data-testid={`level-${level}`}>
            <h4 className="u-margin-0 u-row u-gap-8">
              <span aria-hidden="true" className="sl-workshop-mark u-text-center">
                {runs ? '…' : state === 'passed' ? '✓' : state === 'failed' ? '✗' : '○'}
              </span>
              <span className="u-grow">{t(`workshop.level.${level}`)}</span>
              <span className="u-fs-1 u-dim u-weight-400 u-tabular">
                {runs
                  ? t('workshop.caseOf', { n: at.judged + 1, of: at.cases })
                  : said(t, result, passed.includes(level))}
              </span>
            </h4>
            <p className="u-fs-2 u-dim u-margin-0">{t(`workshop.about.${level}`)}</p>
            {result?.difference && <First difference={result.difference} />}
          </li>
        );
      })}
    </ol>
  );
}

function said(t: Translate, result: Judged['levels'][number] | undefined, before: boolean): string {
  if (!result) return t(before ? 'workshop.before' : 'workshop.notYet');
  const { state, cases, judged } = result;
  if (state === 'passed') return t('workshop.okOf', { ok: judged, total: cases });
  if (state === 'failed') return t('workshop.okOf', { ok: judged - 1, total: cases });
  return t(cases === 0 ? 'workshop.noneHere' : 'workshop.skipped');
}

function First({ difference }: { readonly difference: Difference }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { about, text, problem, show, level } = difference;
  return (
    <div className="sl-workshop-first u-grid u-gap-6">
      <p className="u-margin-0 u-dim">{inLang({ ...about }, lang)}</p>
      <p className="u-margin-0" data-testid={`first-${level}`}>
        <Sentence text={inLang({ ...text }, lang)} />
      </p>
      {problem && (
        <p className="u-failure u-margin-0">
          {t('workshop.problemAt', { line: problem.line })} {problemIn(lang, problem)}
        </p>
      )}
      {show && (
        <button
          type="button"
          className="sl-button sl-primary"
          disabled={!canShow()}
          title={t('workshop.showMeHelp')}
          data-testid={`show-${level}`}
          onClick={() => void showDifference(difference, show)}
        >
          {t('workshop.showMe')}
        </button>
      )}
      {show && !canShow() && <p className="sl-small">{t('workshop.cannotShow')}</p>}
    </div>
  );
}
