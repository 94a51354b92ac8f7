import { useId, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { Modal } from '../../ui/modal.js';
import { takeCode } from './opener.js';

/** Runs the kubelet of a node under the page. */
const COMMAND = `npx syncloop kubelet --config kubelet.yaml \\
  --container-runtime-endpoint unix:///run/containerd/containerd.sock \\
  --root-dir /var/lib/syncloop`;

/** A link to an agent's page; null for anything else. */
export function agentUrl(text: string): string | null {
  try {
    const url = new URL(text.trim());
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    return takeCode(url.href).code ? url.href : null;
  } catch {
    return null;
  }
}

/** Explains how the page can show a real kubelet. */
export function LiveNodeDialog() {
  const t = useT();
  const id = useId();
  const [text, setText] = useState('');
  const [bad, setBad] = useState(false);
  return (
    <Modal label={t('command.liveNode')}>
      <h2>{t('command.liveNode')}</h2>
      <p>{t('liveNode.how')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its long lines scroll, which keys do where the focus is */}
      <pre className="sl-code sl-command u-scroll u-round u-sunken u-fs-1" tabIndex={0}>
        {COMMAND}
      </pre>
      <form
        className="sl-url-form u-grid u-gap-6"
        onSubmit={(e) => {
          e.preventDefault();
          const url = agentUrl(text);
          setBad(url === null);
          if (url === null) return;
          // The same page with another fragment would not load again by itself.
          location.href = url;
          if (new URL(url).origin === location.origin) location.reload();
        }}
      >
        <label htmlFor={id}>{t('liveNode.url')}</label>
        <input
          id={id}
          className="sl-input sl-code"
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="http://127.0.0.1:7330/#code="
          aria-invalid={bad}
          aria-describedby={bad ? `${id}-bad` : undefined}
          value={text}
          onChange={(e) => {
            setText(e.currentTarget.value);
            setBad(false);
          }}
        />
        <button type="submit" className="sl-button sl-primary">
          {t('liveNode.open')}
        </button>
        {bad && (
          <p id={`${id}-bad`} className="sl-small sl-bad" role="alert">
            {t('liveNode.bad')}
          </p>
        )}
      </form>
    </Modal>
  );
}
