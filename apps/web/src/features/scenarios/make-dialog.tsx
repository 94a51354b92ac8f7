import './scenarios.css';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { Modal } from '../../ui/modal.js';
import { isScenarioName, type MadeScenario, makeScenario, runMade } from './make-scenario.js';
import { ScenarioFile, ScenarioNameField, saveScenario } from './scenario-fields.js';

/** Makes a scenario of the run up to here, and shows what goes along and what cannot. */
export function MakeScenarioDialog() {
  const t = useT();
  const [name, setName] = useState('my-run');
  const [made, setMade] = useState<MadeScenario | null>(null);
  const [problem, setProblem] = useState('');
  const named = isScenarioName(name);
  useEffect(() => {
    if (!named) return;
    let current = true;
    makeScenario(name).then(
      (result) => {
        if (!current) return;
        setMade(result);
        setProblem('');
      },
      (error: unknown) => current && setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      current = false;
    };
  }, [name, named]);
  const stays = made && [
    ...(made.drafts.length > 0 ? [t('scenarios.make.drafts', { files: made.drafts.join(', ') })] : []),
    ...(made.breakpoints > 0 ? [t('scenarios.make.breakpoints', { n: made.breakpoints })] : []),
    ...(made.notes > 0 ? [t('scenarios.make.notes', { n: made.notes })] : []),
    ...(made.branches > 0 ? [t('scenarios.make.branches', { n: made.branches })] : []),
    t('scenarios.make.after'),
  ];
  return (
    <Modal label={t('command.scenarioFromRun')} className="sl-embed-dialog sl-making">
      <h2>{t('command.scenarioFromRun')}</h2>
      <p>{t('scenarios.make.how')}</p>
      <ScenarioNameField name={name} onChange={setName} testId="make-name" />
      {problem !== '' && (
        <p className="sl-bad" role="alert">
          {problem}
        </p>
      )}
      {made && stays && (
        <>
          <h3>{t('scenarios.make.goes')}</h3>
          <p data-testid="make-goes">
            {t('scenarios.make.list', {
              base: made.base,
              interventions: made.interventions,
              deviations: made.deviations,
            })}
          </p>
          <h3>{t('scenarios.make.stays')}</h3>
          <ul data-testid="make-stays">
            {stays.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <ScenarioFile text={made.text} testId="make-text" />
          <div className="sl-group">
            <button
              type="button"
              className="sl-button sl-primary"
              disabled={!named}
              data-testid="make-save"
              onClick={() => saveScenario(name, made.text)}
            >
              {t('scenarios.make.save')}
            </button>
            <button
              type="button"
              className="sl-button"
              disabled={!named}
              data-testid="make-run"
              onClick={() => runMade(name, made.text).catch((error: Error) => notify(error.message, true))}
            >
              {t('scenarios.make.run')}
            </button>
          </div>
        </>
      )}
    </Modal>
  );
}
