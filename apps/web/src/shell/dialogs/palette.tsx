import { useEffect, useId, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { loadLang, type MessageKey, useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Modal } from '../../ui/modal.js';
import { type PaletteEntry, type PaletteProvider, registered } from '../registry.js';
import { byHeading, type Candidate, type Group, groupsOf } from './palette-find.js';
import { keepUse, knownUses, weightOf } from './palette-use.js';

/** All that can be found at this moment. */
function candidates(typed: string): readonly Candidate[] {
  const uses = knownUses();
  const now = Date.now();
  return registered('palette').flatMap((provider) =>
    provider.entries(typed).map((entry) => candidateOf(provider, entry, (id) => weightOf(uses, id, now))),
  );
}
function candidateOf(provider: PaletteProvider, entry: PaletteEntry, weigh: (id: string) => number): Candidate {
  const id = `${provider.id}-${entry.key}`;
  return {
    ...{ id, entry, use: weigh(id) },
    heading: entry.heading ?? provider.title,
    always: provider.always === true,
  };
}

/** The time after which a typed text is looked for in what takes longer, ms. */
const TYPING = 200;
const NONE: readonly Group[] = [];

/** Groups of what takes longer to find; none until it has come. */
function useLater(typed: string): readonly Group[] {
  const [later, setLater] = useState({ typed: '', groups: NONE });
  useEffect(() => {
    if (typed.trim() === '') return undefined;
    let wanted = true;
    const timer = setTimeout(() => {
      for (const provider of registered('palette'))
        provider
          .later?.(typed, () => wanted)
          .then(
            (entries) => {
              if (!wanted) return;
              const more = byHeading(entries.map((entry) => candidateOf(provider, entry, () => 0)));
              setLater((before) => ({ typed, groups: [...(before.typed === typed ? before.groups : NONE), ...more] }));
            },
            () => {},
          );
    }, TYPING);
    return () => {
      wanted = false;
      clearTimeout(timer);
      setLater({ typed: '', groups: NONE });
    };
  }, [typed]);
  return later.typed === typed ? later.groups : NONE;
}

/** Finds commands and the features' other entries by a few letters. */
export function Palette() {
  const t = useT();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  // Chinese words are looked for in an English page too, once they are there.
  const [chinese, setChinese] = useState(false);
  const wantsChinese = /\p{Script=Han}/u.test(typed);
  useEffect(() => {
    if (wantsChinese) void loadLang('zh-CN').then(() => setChinese(true));
  }, [wantsChinese]);
  // Entries that providers load come while the palette is open.
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    for (const { load } of registered('palette'))
      load?.().then(
        () => setLoads((n) => n + 1),
        () => {},
      );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more is found when a language or entries have come
  const atOnce = useMemo(() => groupsOf(typed, candidates(typed)), [typed, chinese, loads]);
  const later = useLater(typed);
  const groups = [...atOnce, ...later];
  const found = groups.flatMap(({ items }) => items);
  const index = Math.min(at, found.length - 1);
  const idOf = (f: Candidate) => `${listId}-${f.id}`;
  const current = found[index];
  const move = (to: number) => {
    setAt(to);
    const next = found[to];
    const option = next && document.getElementById(idOf(next));
    // The first of a group is seen with its heading.
    const heading = option?.previousElementSibling;
    (heading?.role === 'presentation' ? heading : option)?.scrollIntoView({ block: 'nearest' });
  };
  const run = (f: Candidate | undefined) => {
    if (!f || f.entry.blocked !== undefined) return;
    // The dialog is closed before, so that the command finds the page as it was, and the next key finds the command's
    // result.
    flushSync(() => useUI.setState({ dialog: null }));
    keepUse(f.id);
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
        {groups.map(({ heading, items }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options within a listbox
          <div key={heading} role="group" aria-labelledby={`${listId}-${heading}`}>
            <div
              id={`${listId}-${heading}`}
              role="presentation"
              className="sl-palette-heading u-fs-1 u-weight-600 u-faint"
            >
              {t(heading as MessageKey)}
            </div>
            {items.map((f) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above drives the list by keys
              <div
                key={f.id}
                id={idOf(f)}
                role="option"
                tabIndex={-1}
                aria-selected={f === current}
                aria-disabled={f.entry.blocked !== undefined || undefined}
                onClick={() => run(f)}
                onMouseMove={() => setAt(found.indexOf(f))}
              >
                <span className="sl-palette-title u-grow u-min-width-0">
                  {f.entry.title}
                  {f.entry.blocked !== undefined && <span className="sl-small"> ({f.entry.blocked})</span>}
                  {f.entry.detail !== undefined && <span className="u-fs-2 u-dim u-block">{f.entry.detail}</span>}
                </span>
                {f.entry.keys && <kbd>{f.entry.keys}</kbd>}
              </div>
            ))}
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
