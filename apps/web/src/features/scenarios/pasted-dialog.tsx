import './scenarios.css';
import { useEffect, useMemo, useState } from 'react';
import { focusStage } from '../../commands/focus.js';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { Modal } from '../../ui/modal.js';
import { isScenarioName, makeScenario, type RunInView, runInView, runMade } from './make-scenario.js';
import { type PastedScenario, usePasted } from './pasted-store.js';
import { ScenarioFile, ScenarioNameField, saveScenario } from './scenario-fields.js';

/** Asks before a scenario made of a pasted text replaces the run. */
export function PastedScenarioDialog() {
  const pasted = usePasted((s) => s.pasted);
  return pasted && <Asks pasted={pasted} />;
}

const TITLES = { pod: 'command.scenarioFromPod', workload: 'command.scenarioFromWorkload' } as const;
const failed = (error: Error) => notify(error.message, true);

function Asks({ pasted }: { readonly pasted: PastedScenario }) {
  const t = useT();
  const [name, setName] = useState(pasted.name);
  const named = isScenarioName(name);
  const text = useMemo(() => (isScenarioName(name) ? pasted.make(name) : ''), [pasted, name]);
  const run = async () => {
    await runMade(name, text);
    focusStage();
    notify(t(`scenarios.pasted.done.${pasted.of}`));
  };
  return (
    <Modal label={t(TITLES[pasted.of])} className="sl-embed-dialog sl-making">
      <h2>{t(TITLES[pasted.of])}</h2>
      <p>{t(`scenarios.pasted.how.${pasted.of}`)}</p>
      <InItsPlace />
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (named) run().catch(failed);
        }}
      >
        <ScenarioNameField name={name} onChange={setName} testId="pasted-name" />
        <ScenarioFile text={text} testId="pasted-text" />
        <div className="sl-group">
          <button type="submit" className="sl-button sl-primary" disabled={!named} data-testid="pasted-run">
            {t('scenarios.pasted.run')}
          </button>
          <button
            type="button"
            className="sl-button"
            disabled={!named}
            data-testid="pasted-save"
            onClick={() => saveScenario(name, text)}
          >
            {t('scenarios.make.save')}
          </button>
        </div>
      </form>
    </Modal>
  );
}

/** Shows what is in view now, and how it can be kept. */
function InItsPlace() {
  const t = useT();
  const [run, setRun] = useState<RunInView | null>(null);
  const pages = useSession((s) => s.company.pages);
  useEffect(() => {
    let current = true;
    runInView().then((found) => current && setRun(found), failed);
    return () => {
      current = false;
    };
  }, []);
  if (!run) return null;
  const { base, interventions, deviations, branches } = run;
  const own = interventions + deviations + branches > 0;
  const kept = isScenarioName(`${base}-run`) ? `${base}-run` : 'my-run';
  const save = async () => saveScenario(kept, (await makeScenario(kept)).text);
  return (
    <section data-testid="pasted-instead">
      <h3>{t('scenarios.pasted.instead')}</h3>
      <p>
        {own
          ? t('scenarios.pasted.loses', { base, interventions, deviations, branches })
          : t('scenarios.pasted.losesNothing', { base })}
        {pages > 1 && ` ${t('scenarios.pasted.forAll', { n: pages })}`}
      </p>
      {own && (
        <button type="button" className="sl-button" data-testid="pasted-keep" onClick={() => save().catch(failed)}>
          {t('scenarios.pasted.keep')}
        </button>
      )}
    </section>
  );
}
