import { messageOf } from '@syncloop/core/base';
import type { ImageBehaviour } from '@syncloop/core/scenario';
import { reasonText } from '@syncloop/core/scenario/workload';
import { useState } from 'react';
import { useT } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { Modal } from '../../ui/modal.js';
import { answerProgram } from './answer-program.js';
import { behaviourWords } from './assumed-mark.js';
import { type Assumption, useAssumptions } from './assumptions.js';
import { BehaviourField } from './image-questions.js';
import { answerFor } from './logic/behaviours.js';
import './assumed.css';
import './manifests.css';

/** Asks what a program does that is not simulated, and lets the run go on with the answer. */
export function ProgramDialog() {
  const id = useAssumptions((s) => s.asked);
  const assumption = useAssumptions((s) => s.by[id]);
  return assumption ? <Question key={id} assumption={assumption} /> : null;
}

function Question({ assumption: { question, does, container, ports } }: { readonly assumption: Assumption }) {
  const t = useT();
  const lang = useUI((s) => s.lang) === 'en' ? 'en' : 'zh';
  const [chosen, setChosen] = useState<ImageBehaviour | null>(question.settled ? does : question.does);
  const title = t('program.title', { container });
  const answer = async () => {
    useUI.setState({ dialog: null });
    try {
      await answerProgram(question, answerFor(question, container, chosen), useAssumptions.getState().by);
      notify(t('program.done', { container, does: behaviourWords(t, chosen) }));
    } catch (error) {
      notify(messageOf(error), true);
    }
  };
  return (
    <Modal label={title}>
      <div data-testid="program">
        <h2>{title}</h2>
        <p>
          {t('program.about', {
            image: question.ref,
            does: behaviourWords(t, does),
            reason: reasonText(question, lang),
          })}
        </p>
        <BehaviourField label={title} value={chosen} ports={ports} onChange={setChosen} />
        <p className="sl-small u-above-8">{t('program.how')}</p>
        <div className="sl-group sl-program-buttons">
          <button type="button" className="sl-button sl-primary" data-testid="program-answer" onClick={answer}>
            {t('program.answer')}
          </button>
        </div>
      </div>
    </Modal>
  );
}
