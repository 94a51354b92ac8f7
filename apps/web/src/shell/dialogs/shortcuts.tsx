import { keyLabel } from '../../commands/hotkeys.js';
import { commandOf } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
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
            <h3 className="u-dim">{t(group.title)}</h3>
            <dl>
              {group.commands.map((id) => {
                const { title, keys = [] } = commandOf(id);
                return (
                  <div key={id}>
                    <dt className="u-flex-none">
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
