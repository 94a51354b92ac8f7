import { useId, useState } from 'react';
import {
  COMMANDS,
  type CommandId,
  isAvailable,
  type PlainCommandId,
  runCommand,
} from '../../app-logic/commands/index.js';
import { keyLabel } from '../../app-logic/hotkeys.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../store/ui-store.js';
import { Modal } from '../../widgets/modal.js';
import { FaultsDialog } from '../faults/faults-dialog.js';
import { LinkDialog } from './link-dialog.js';
import { LiveNodeDialog } from './live-node-dialog.js';

const inPalette = (id: CommandId) => COMMANDS[id].palette !== false;
/** Why a command that is listed all the same cannot be run now. */
const hintOf = (id: CommandId) => (isAvailable(id) ? null : (COMMANDS[id].hint?.() ?? null));

/** All commands, found by typing. */
function Palette() {
  const t = useT();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (Object.keys(COMMANDS) as CommandId[]).filter(
    (id) =>
      inPalette(id) &&
      (isAvailable(id) || hintOf(id) !== null) &&
      words.every((w) => `${t(COMMANDS[id].title)} ${id}`.toLowerCase().includes(w)),
  );
  const index = Math.min(at, found.length - 1);
  const run = (id: CommandId | undefined) => {
    if (!id || !isAvailable(id)) return;
    useUI.setState({ dialog: null });
    // After the dialog is gone, so that the command finds the page as it was.
    requestAnimationFrame(() => runCommand(id as PlainCommandId));
  };
  return (
    <Modal label={t('command.palette')} className="sl-palette">
      <input
        className="sl-input"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found[index] ? `${listId}-${found[index]}` : undefined}
        placeholder={t('palette.placeholder')}
        value={typed}
        data-testid="palette-input"
        onChange={(e) => {
          setTyped(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setAt(Math.min(found.length - 1, index + 1));
          else if (e.key === 'ArrowUp') setAt(Math.max(0, index - 1));
          else if (e.key === 'Enter') run(found[index]);
          else return;
          e.preventDefault();
        }}
      />
      <div id={listId} role="listbox" tabIndex={-1} aria-label={t('command.palette')}>
        {found.map((id, i) => {
          const key = COMMANDS[id].keys?.[0];
          const hint = hintOf(id);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above drives the list by keys
            <div
              key={id}
              id={`${listId}-${id}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === index}
              aria-disabled={hint !== null || undefined}
              onClick={() => run(id)}
              onMouseMove={() => setAt(i)}
            >
              <span>
                {t(COMMANDS[id].title)}
                {hint && <span className="sl-small"> ({t(hint)})</span>}
              </span>
              {key && <kbd>{keyLabel(key)}</kbd>}
            </div>
          );
        })}
        {found.length === 0 && <p className="sl-empty">{t('palette.none')}</p>}
      </div>
    </Modal>
  );
}

function Shortcuts() {
  const t = useT();
  const withKeys = (Object.keys(COMMANDS) as CommandId[]).filter((id) => COMMANDS[id].keys);
  return (
    <Modal label={t('shortcuts.title')}>
      <h2>{t('shortcuts.title')}</h2>
      <dl className="sl-keys">
        {withKeys.map((id) => (
          <div key={id}>
            <dt>
              {COMMANDS[id].keys?.map((k) => (
                <kbd key={k}>{keyLabel(k)}</kbd>
              ))}
            </dt>
            <dd>{t(COMMANDS[id].title)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

export function Dialogs() {
  const dialog = useUI((s) => s.dialog);
  if (dialog === 'palette') return <Palette />;
  if (dialog === 'shortcuts') return <Shortcuts />;
  if (dialog === 'faults') return <FaultsDialog />;
  if (dialog === 'link') return <LinkDialog />;
  if (dialog === 'liveNode') return <LiveNodeDialog />;
  return null;
}
