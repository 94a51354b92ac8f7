import { useEffect, useLayoutEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { type Translate, useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { Icon } from '../../ui/icons.js';
import { ConsoleInput } from './console-input.js';
import { type Entry, useConsole } from './console-store.js';
import { cancel } from './run.js';
import './console.css';
import '../../ui/styles/tables.css';

/** A shell about this node: kubectl, crictl and the debugger's own words. */
export function ConsolePanel() {
  const t = useT();
  const entries = useConsole((s) => s.entries);
  const running = useConsole((s) => s.running);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const last = entries.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more output is what moves it to its end
  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [entries]);
  // A new command scrolls its output into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another command
  useEffect(() => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
    atEnd.current = true;
  }, [last?.id]);
  return (
    <div className="u-column u-min-height-0 u-height-full" data-testid="console">
      <div
        ref={box}
        className="sl-console-out u-grow u-min-height-0 u-scroll"
        role="log"
        aria-live="polite"
        aria-label={t('console.output')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        data-testid="console-out"
        onScroll={() => {
          const element = box.current;
          if (element) atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 24;
        }}
        onKeyDown={(e) => {
          if (e.key === 'c' && e.ctrlKey && String(getSelection()) === '') cancel();
        }}
      >
        {entries.length === 0 && <p className="sl-console-welcome u-dim">{t('console.welcome')}</p>}
        {entries.map((e) => (
          <EntryView key={e.id} entry={e} running={e.id === running} t={t} />
        ))}
      </div>
      <ConsoleInput running={running !== 0} />
    </div>
  );
}

function EntryView({ entry, running, t }: { readonly entry: Entry; readonly running: boolean; readonly t: Translate }) {
  const [first = '', ...more] = entry.input.split('\n');
  const text = entry.parts.map((p) => p.text).join('\n');
  return (
    <div className="sl-console-entry">
      <div className="u-row u-gap-8 u-target">
        <span className="sl-console-prompt u-flex-none u-faint" aria-hidden="true">
          $
        </span>
        <code className="u-min-width-0 u-break u-fs-2 u-weight-600">
          {first}
          {more.length > 0 && <span className="sl-console-note"> … +{more.length}</span>}
        </code>
        {running && <span className="sl-console-note sl-console-goes">{t('console.goesOn')}</span>}
        <span className="sl-console-tools u-flex u-gap-2 u-flex-none u-push">
          <button
            type="button"
            className="sl-button sl-quiet sl-console-tool"
            aria-label={t('console.again')}
            title={t('console.again')}
            onClick={() => runCommand('console.run', entry.input)}
          >
            <Icon name="restart" />
          </button>
          {text !== '' && (
            <button
              type="button"
              className="sl-button sl-quiet sl-console-tool"
              aria-label={t('console.copy')}
              title={t('console.copy')}
              onClick={() => copy(text, t)}
            >
              <CopyIcon />
            </button>
          )}
        </span>
      </div>
      {entry.cut > 0 && <p className="sl-console-note">{t('console.cut', { n: entry.cut })}</p>}
      {entry.parts.map((part, i) =>
        part.kind === 'note' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only come at the end
          <p key={i} className="sl-console-note">
            {part.text}
          </p>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only come at the end
          <pre key={i} className="sl-console-text u-margin-0" data-kind={part.kind}>
            {part.text}
          </pre>
        ),
      )}
    </div>
  );
}

function CopyIcon() {
  return (
    <svg className="sl-icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
      <path fill="none" stroke="currentColor" strokeWidth="1.4" d="M5.500 5.500h7.500v8H5.500zM3 10.500v-8h7.500" />
    </svg>
  );
}

/** Pages that are not served securely have no clipboard. */
function copy(text: string, t: Translate): void {
  const failed = () => notify(t('console.noClipboard'), true);
  if (!navigator.clipboard) {
    failed();
    return;
  }
  navigator.clipboard.writeText(text).then(() => notify(t('console.copied')), failed);
}
