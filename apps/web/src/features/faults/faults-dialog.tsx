import { useState } from 'react';
import { tryCommand } from '../../commands/index.js';
import type { MessageKey } from '../../i18n/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { inThePast, useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Modal } from '../../ui/modal.js';
import { FaultFields } from './fault-fields.js';
import { actionText } from './logic/fault-text.js';
import {
  FAULT_GROUPS,
  FAULTS,
  type FaultTemplate,
  type FaultValues,
  faultDevices,
  faultPods,
  firstValues,
} from './logic/faults.js';

const title = (t: FaultTemplate): MessageKey => `faults.${t.id}`;

/** Makes a fault: a choice of faults, a small form for each, and a text for anything else. */
export function FaultsDialog() {
  const t = useT();
  const pods = useTrace(faultPods);
  const devices = useTrace(faultDevices);
  const node = { pods, devices };
  const past = useSession((s) => inThePast(s.run));
  const [template, setTemplate] = useState(FAULTS[0] as FaultTemplate);
  const [typed, setTyped] = useState<FaultValues>(() => ({ pod: podOfSelection(pods) }));
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const values = firstValues(template, node, typed);
  const action = template.build(values);
  const lacksPod = text === null && pods.length === 0 && template.fields.some((f) => f.kind === 'pod' && f.needed);

  const lacksDevice = text === null && devices.length === 0 && template.fields.some((f) => f.name === 'device');
  const choose = (next: FaultTemplate) => {
    setTyped({ ...typed, ...values });
    setTemplate(next);
    setText(null);
    setError('');
  };
  const act = async () => {
    setBusy(true);
    setError('');
    try {
      await tryCommand('faults.do', text ?? action);
      useUI.setState({ dialog: null });
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal label={t('faults.title')} className="sl-faults">
      <h2>{t('faults.title')}</h2>
      <div className="sl-faults-body u-grid">
        <TemplateList chosen={template} onChoose={choose} />
        <form
          className="sl-faults-form u-column u-gap-10"
          data-testid="fault-form"
          onSubmit={(e) => {
            e.preventDefault();
            void act();
          }}
        >
          <div>
            <h3>{t(title(template))}</h3>
            <p className="sl-small">{t(`faults.${template.id}.help`)}</p>
          </div>
          {text === null && (
            <FaultFields
              template={template}
              values={values}
              node={node}
              onChange={(changed) => {
                setTyped({ ...values, ...changed });
                setError('');
              }}
            />
          )}
          {lacksDevice && <p className="sl-small">{t('faults.noDevices')}</p>}
          {lacksPod && <p className="sl-small">{t('faults.noPods')}</p>}
          <details>
            <summary className="u-pointer u-dim">{t('faults.text')}</summary>
            <p className="sl-small">{t('faults.textHelp')}</p>
            <textarea
              className="sl-input sl-code sl-faults-text u-width-full"
              aria-label={t('faults.textLabel')}
              aria-invalid={error !== ''}
              rows={5}
              spellCheck={false}
              autoCapitalize="off"
              data-testid="fault-text"
              value={text ?? actionText(action)}
              onChange={(e) => {
                setText(e.currentTarget.value);
                setError('');
              }}
            />
            {text !== null && (
              <button type="button" className="sl-button sl-quiet" onClick={() => setText(null)}>
                {t('faults.toForm')}
              </button>
            )}
          </details>
          {error !== '' && (
            <p className="sl-error u-break u-failure" role="alert" data-testid="fault-error">
              {error}
            </p>
          )}
          {past && <p className="sl-small sl-faults-past">{t('faults.past')}</p>}
          <div className="sl-group">
            <button
              type="submit"
              className="sl-button sl-primary"
              disabled={busy || lacksPod || lacksDevice}
              data-testid="fault-do"
            >
              {t('faults.do')}
            </button>
          </div>
        </form>
      </div>
    </Modal>
  );
}

/** The pod that is selected, if there is one. */
function podOfSelection(pods: readonly { readonly pod: string; readonly uid: string }[]): string {
  const { selection } = useUI.getState();
  return (selection?.kind === 'pod' && pods.find((p) => p.uid === selection.uid)?.pod) || '';
}

/** All faults by subject; on a narrow page one list to choose from. */
function TemplateList({
  chosen,
  onChoose,
}: {
  readonly chosen: FaultTemplate;
  readonly onChoose: (template: FaultTemplate) => void;
}) {
  const t = useT();
  const groups = FAULT_GROUPS.map((group) => ({ group, members: FAULTS.filter((f) => f.group === group) }));
  return (
    <>
      <nav className="sl-faults-list" aria-label={t('faults.which')}>
        {groups.map(({ group, members }) => (
          <div key={group}>
            <h3 className="sl-small">{t(`faults.group.${group}`)}</h3>
            <ul>
              {members.map((f) => (
                <li key={f.id}>
                  <button
                    type="button"
                    className="sl-button sl-quiet u-width-full"
                    aria-pressed={f === chosen}
                    data-testid={`fault-${f.id}`}
                    onClick={() => onChoose(f)}
                  >
                    {t(title(f))}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <select
        className="sl-input sl-faults-select"
        aria-label={t('faults.which')}
        value={chosen.id}
        onChange={(e) => onChoose(FAULTS.find((f) => f.id === e.currentTarget.value) ?? chosen)}
      >
        {groups.map(({ group, members }) => (
          <optgroup key={group} label={t(`faults.group.${group}`)}>
            {members.map((f) => (
              <option key={f.id} value={f.id}>
                {t(title(f))}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  );
}
