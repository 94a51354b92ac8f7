import { type FirstDifference, type StageCounts, stageLevels } from '@syncloop/core/classroom';
import { type ListedStage, loadStage, type Stage, stages } from '@syncloop/workshop/stages';
import { useEffect, useState } from 'react';
import { runCommand } from '../../../commands/index.js';
import { inLang } from '../../../i18n/in-lang.js';
import { type Translate, useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';

/** Opens a stage of the workshop for all, and shows how the class does in it: counts, never persons. */
export function StageDialog() {
  const t = useT();
  const counts = useClass((s) => s.presenting.stage);
  return (
    <Modal label={t('workshop.class.title')}>
      <h2>{t('workshop.class.title')}</h2>
      {counts ? <Results counts={counts} /> : <Choice />}
    </Modal>
  );
}

const titleOf = ({ number, title }: ListedStage, lang: 'en' | 'zh-CN') => `${number}. ${inLang({ ...title }, lang)}`;

function Choice() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  return (
    <>
      <p className="u-dim">{t('workshop.class.help')}</p>
      <ul className="sl-class-audience u-scroll u-above-8" data-testid="class-stages">
        {stages.map((stage) => (
          <li className="u-row u-wrap u-gap-12" key={stage.name}>
            <span className="u-grow">{titleOf(stage, lang)}</span>
            <button
              type="button"
              className="sl-button"
              data-testid={`class-open-${stage.name}`}
              onClick={() => runCommand('class.setStage', { stage: stage.name })}
            >
              {t('workshop.class.begin')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Results({ counts }: { readonly counts: StageCounts }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const followers = useClass((s) => s.presenting.followers);
  const [loaded, setLoaded] = useState<Stage | null>(null);
  const { stage, judged, passed, firsts, others } = counts;
  const listed = stages.find(({ name }) => name === stage);
  useEffect(() => {
    let wanted = true;
    // An unknown stage has names in place of texts.
    loadStage(stage).then(
      (found) => wanted && setLoaded(found),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [stage]);
  const all = Math.max(followers, judged);
  return (
    <>
      <p className="u-weight-600">{listed ? titleOf(listed, lang) : stage}</p>
      <p className="u-dim u-tabular" role="status" data-testid="class-stage-judged">
        {t('workshop.class.judged', { n: judged, all })}
      </p>
      <ol className="sl-class-bars" data-testid="class-stage-levels">
        {stageLevels.map((level, i) => (
          <Bar key={level} text={t(`workshop.level.${level}`)} n={passed[i] ?? 0} all={all} />
        ))}
      </ol>
      <h3 className="u-fs-2 u-above-8">{t('workshop.class.firsts')}</h3>
      {firsts.length === 0 ? (
        <p className="u-dim">{t('workshop.class.noFirsts')}</p>
      ) : (
        <ol className="sl-class-bars" data-testid="class-stage-firsts">
          {firsts.map(({ n, ...first }) => (
            <Bar key={JSON.stringify(first)} text={sentence(t, lang, first, loaded)} n={n} all={all} />
          ))}
          {others > 0 && <Bar text={t('workshop.class.others')} n={others} all={all} />}
        </ol>
      )}
      <p className="u-dim u-fs-1">{t('workshop.class.private')}</p>
      <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
        <button
          type="button"
          className="sl-button"
          data-testid="class-stage-end"
          onClick={() => runCommand('class.setStage', {})}
        >
          {t('workshop.class.end')}
        </button>
      </div>
    </>
  );
}

function Bar({ text, n, all }: { readonly text: string; readonly n: number; readonly all: number }) {
  const t = useT();
  return (
    <li className="u-grid">
      <span className="sl-class-option u-break">{text}</span>
      <span className="sl-class-count sl-tabular u-dim">{t('class.count', { n, all })}</span>
      <span className="sl-class-track u-hidden-overflow u-round-2 u-sunken" aria-hidden="true">
        <span className="u-block u-height-full" style={{ width: `${all > 0 ? (100 * n) / all : 0}%` }} />
      </span>
    </li>
  );
}

/** The place of a difference in words: its texts are the stage's own. */
function sentence(t: Translate, lang: 'en' | 'zh-CN', first: FirstDifference, stage: Stage | null): string {
  const { level, case: name, problem } = first;
  const list = level === 'examples' ? stage?.cases : level === 'explorer' ? stage?.schedules : undefined;
  const about = list?.find((one) => one.name === name)?.about;
  const what = about ? inLang({ ...about }, lang) : name;
  const where = t('workshop.class.at', { level: t(`workshop.level.${level}`), what });
  return problem ? `${where} ${t(`workshop.class.problem.${problem}`)}` : where;
}
