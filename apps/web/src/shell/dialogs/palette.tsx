import { useId, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Modal } from '../../ui/modal.js';
import { fuzzyFind } from '../../units/fuzzy.js';
import { type PaletteEntry, type PaletteProvider, registered } from '../registry.js';

/** Most entries shown, of each kind while all kinds are. */
const MOST = 60;
const MOST_OF_KIND = 8;

interface Match {
  readonly id: string;
  readonly provider: PaletteProvider;
  readonly entry: PaletteEntry;
}

function find(typed: string): readonly Match[] {
  const words = typed.trim();
  const all = registered('palette');
  // Before anything is typed: the commands, which is what most look for.
  const providers = words === '' ? all.slice(0, 1) : all;
  return providers
    .flatMap((provider) =>
      fuzzyFind(
        words,
        provider.entries(),
        (e) => e.title,
        (e) => e.also ?? '',
      )
        .slice(0, provider === providers[0] ? MOST : MOST_OF_KIND)
        .map((entry) => ({ id: `${provider.id}-${entry.key}`, provider, entry })),
    )
    .slice(0, MOST);
}

/** Commands and whatever else features offer, found by a few letters. */
export function Palette() {
  const t = useT();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const found = useMemo(() => find(typed), [typed]);
  const index = Math.min(at, found.length - 1);
  const idOf = (f: Match) => `${listId}-${f.id}`;
  const current = found[index];
  const move = (to: number) => {
    setAt(to);
    const next = found[to];
    if (next) document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' });
  };
  const run = (f: Match | undefined) => {
    if (!f || f.entry.blocked !== undefined) return;
    // The dialog is gone before, so that the command finds the page as it was, and the next key the command's doing.
    flushSync(() => useUI.setState({ dialog: null }));
    f.entry.run();
  };
  return (
    <Modal label={t('command.palette')} className="sl-palette">
      <input
        className="sl-input"
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-label={t('palette.placeholder')}
        aria-controls={listId}
        aria-activedescendant={current ? idOf(current) : undefined}
        placeholder={t('palette.placeholder')}
        value={typed}
        data-testid="palette-input"
        onChange={(e) => {
          setTyped(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(e) => {
          if (e.nativeEvent.isComposing) return;
          if (e.key === 'ArrowDown') move(found.length === 0 ? 0 : (index + 1) % found.length);
          else if (e.key === 'ArrowUp') move(found.length === 0 ? 0 : (index - 1 + found.length) % found.length);
          else if (e.key === 'Enter') run(current);
          else return;
          e.preventDefault();
        }}
      />
      <div id={listId} role="listbox" tabIndex={-1} aria-label={t('command.palette')}>
        {found.map((f, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above drives the list by keys
          <div
            key={f.id}
            id={idOf(f)}
            role="option"
            tabIndex={-1}
            aria-selected={i === index}
            aria-disabled={f.entry.blocked !== undefined || undefined}
            onClick={() => run(f)}
            onMouseMove={() => setAt(i)}
          >
            <span className="sl-palette-title">
              {f.entry.title}
              {f.entry.blocked !== undefined && <span className="sl-small"> ({f.entry.blocked})</span>}
            </span>
            {f.provider !== registered('palette')[0] && <span className="sl-small">{t(f.provider.title)}</span>}
            {f.entry.keys && <kbd>{f.entry.keys}</kbd>}
          </div>
        ))}
        {found.length === 0 && <p className="sl-empty">{t('palette.none')}</p>}
      </div>
      <span className="sl-visually-hidden" role="status">
        {t('palette.found', { n: found.length })}
      </span>
    </Modal>
  );
}
