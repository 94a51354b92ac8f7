import { wantsMore } from '@syncloop/core/kubectl';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { CONSOLE_INPUT } from './commands.js';
import { useConsole } from './console-store.js';
import { worldNow } from './context.js';
import { cancel } from './run.js';
import { loadSchema, schemaNow } from './schema.js';
import { insert, MOST_SHOWN, NO_SUGGESTIONS, type Suggestions, searchBack, tab, walk } from './suggest.js';
import { knownOf } from './world.js';

const known = () =>
  knownOf(
    worldNow(),
    trace.state,
    useSession.getState().manifests.map((m) => m.file),
    schemaNow(),
  );

/**
 * The input line. Tab completes, arrows bring back earlier lines, Ctrl+R searches them, Ctrl+C stops, Ctrl+L clears.
 */
export function ConsoleInput({ running }: { readonly running: boolean }) {
  const t = useT();
  const [line, setLine] = useState('');
  const [offered, setOffered] = useState<Suggestions>(NO_SUGGESTIONS);
  const [search, setSearch] = useState<{ words: string; at: number } | null>(null);
  const place = useRef<{ at: number; start: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const history = useConsole((s) => s.history);
  const { completion, chosen } = offered;
  const shown = completion.candidates.slice(0, MOST_SHOWN);

  const put = (text: string) => {
    setLine(text);
    // The caret goes to the end once the text is there.
    requestAnimationFrame(() => field.current?.setSelectionRange(text.length, text.length));
  };
  const type = (text: string) => {
    setLine(text);
    setOffered(NO_SUGGESTIONS);
    place.current = null;
    if (search) setSearch({ words: text, at: searchBack(history, text, history.length) ?? -1 });
    if (/^\s*(kubectl |k )?explain /.test(text) && !schemaNow()) void loadSchema();
  };
  const run = () => {
    const text = search ? (history[search.at] ?? line) : line;
    setSearch(null);
    setOffered(NO_SUGGESTIONS);
    place.current = null;
    setLine('');
    if (text.trim() !== '') runCommand('console.run', text);
  };
  const take = (candidate: string) => {
    put(insert(line, completion, candidate));
    setOffered(NO_SUGGESTIONS);
    field.current?.focus();
  };
  /** False if there is nothing to offer. */
  const onTab = (back: boolean): boolean => {
    if (shown.length > 0) {
      const n = shown.length;
      setOffered({ completion, chosen: back ? (Math.max(chosen, 0) + n - 1) % n : (chosen + 1) % n });
      return true;
    }
    const next = tab(line, known());
    if (next.line === line && next.suggestions.completion.candidates.length === 0) return false;
    put(next.line);
    setOffered(next.suggestions);
    return true;
  };
  const goBack = (by: 1 | -1) => {
    place.current ??= { at: history.length, start: line };
    const next = walk(history, place.current.at, by, place.current.start);
    place.current = { ...place.current, at: next.at };
    put(next.line ?? place.current.start);
  };

  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = e;
    if (e.nativeEvent.isComposing) return;
    const done = () => {
      e.preventDefault();
      e.stopPropagation();
    };
    const element = e.currentTarget;
    if (ctrlKey && !metaKey && !altKey) {
      if (key === 'c' && element.selectionStart === element.selectionEnd) {
        done();
        if (running) cancel();
        else type('');
        setSearch(null);
        return;
      }
      if (key === 'l') {
        done();
        runCommand('console.clear');
        return;
      }
      if (key === 'u') {
        done();
        type(line.slice(element.selectionEnd));
        return;
      }
      if (key === 'r') {
        done();
        const words = search ? search.words : line;
        const at = searchBack(history, words, search ? search.at : history.length);
        setSearch({ words, at: at ?? search?.at ?? -1 });
        return;
      }
      if (key === 'Enter' || key === 'd') {
        if (line === '') return;
        done();
        run();
        return;
      }
    }
    switch (key) {
      case 'Tab':
        // An empty line lets the focus go on, as everywhere.
        if (line.trim() === '' && shown.length === 0) return;
        if (shiftKey && shown.length === 0) return;
        // Also when there is nothing to complete: otherwise keyboard users could not leave the input.
        if (onTab(shiftKey)) done();
        return;
      case 'Escape':
        if (shown.length === 0 && !search) return;
        done();
        setOffered(NO_SUGGESTIONS);
        setSearch(null);
        return;
      case 'Enter': {
        if (shiftKey) return;
        const candidate = shown[chosen];
        if (candidate !== undefined) {
          done();
          take(candidate);
          return;
        }
        if (!search && wantsMore(line)) return;
        done();
        run();
        return;
      }
      case 'ArrowUp':
      case 'ArrowDown': {
        const by = key === 'ArrowUp' ? -1 : 1;
        if (chosen >= 0) {
          done();
          setOffered({ completion, chosen: (chosen + by + shown.length) % shown.length });
          return;
        }
        // Within several lines the caret moves, until it is at the edge.
        const edge = by < 0 ? line.slice(0, element.selectionStart) : line.slice(element.selectionEnd);
        if (edge.includes('\n')) return;
        done();
        goBack(by);
        return;
      }
    }
  };

  const found = search && search.at >= 0 ? history[search.at] : undefined;
  const rows = Math.min(8, line.split('\n').length);
  return (
    <div className="sl-console-input u-flex-none u-relative u-border-top u-panel">
      {shown.length > 0 && (
        <div
          id={listId}
          className="sl-console-list u-flex u-wrap u-gap-2 u-absolute u-scroll u-border u-round u-raised u-shadow"
          role="listbox"
          aria-label={t('console.candidates')}
        >
          {shown.map((candidate, i) => (
            <button
              key={candidate}
              id={`${listId}-${i}`}
              type="button"
              role="option"
              aria-selected={i === chosen}
              tabIndex={-1}
              className="sl-console-candidate u-target u-bare u-pointer"
              onClick={() => take(candidate)}
            >
              {candidate}
            </button>
          ))}
          {completion.candidates.length > shown.length && <span className="sl-console-note">…</span>}
        </div>
      )}
      {search && (
        <p className="sl-console-search" role="status">
          {t('console.search')}: <code>{search.words}</code> {found !== undefined && <code>{found}</code>}
        </p>
      )}
      <div className="u-row u-gap-8">
        <span className="sl-console-prompt u-flex-none u-faint" aria-hidden="true">
          $
        </span>
        <textarea
          ref={field}
          id={CONSOLE_INPUT}
          className="sl-console-field u-grow u-min-width-0 u-round"
          rows={rows}
          value={line}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          wrap="off"
          aria-label={t('console.input')}
          aria-autocomplete="list"
          aria-controls={shown.length > 0 ? listId : undefined}
          aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
          placeholder={t('console.placeholder')}
          data-testid="console-input"
          onChange={(e) => type(e.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {running ? (
          <button type="button" className="sl-button" onClick={cancel} data-testid="console-stop">
            {t('console.stop')}
          </button>
        ) : (
          <button type="button" className="sl-button" onClick={run} data-testid="console-run">
            {t('console.run')}
          </button>
        )}
        <button
          type="button"
          className="sl-button sl-quiet sl-console-clear"
          onClick={() => runCommand('console.clear')}
        >
          {t('console.clear')}
        </button>
      </div>
      {wantsMore(line) && <p className="sl-console-note sl-console-more">{t('console.more')}</p>}
      <p className="sl-visually-hidden" role="status">
        {shown.length > 0 ? t('console.candidatesN', { n: completion.candidates.length }) : ''}
      </p>
    </div>
  );
}
