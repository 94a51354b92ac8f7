import { keyLabel } from '../../commands/hotkeys.js';
import { COMMANDS } from '../../commands/index.js';
import { type MessageKey, useT } from '../../i18n/index.js';
import { Modal } from '../../ui/modal.js';
import { shortcutGroups } from './shortcut-groups.js';

/** All keys, made from the commands themselves. */
export function Shortcuts() {
  const t = useT();
  return (
    <Modal label={t('shortcuts.title')} className="sl-shortcuts">
      <h2>{t('shortcuts.title')}</h2>
      <div className="sl-keys">
        {shortcutGroups().map((group) => (
          <section key={group.title}>
            <h3>{t(group.title)}</h3>
            <dl>
              {group.commands.map((id) => {
                const { title, keys } = COMMANDS[id] as {
                  readonly title: MessageKey;
                  readonly keys: readonly string[];
                };
                return (
                  <div key={id}>
                    <dt>
                      {keys.map((k) => (
                        <kbd key={k}>{keyLabel(k)}</kbd>
                      ))}
                    </dt>
                    <dd>{t(title)}</dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
