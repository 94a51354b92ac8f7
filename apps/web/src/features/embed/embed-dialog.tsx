import './embed.css';
import '../share/share.css';
import { useEffect, useId, useRef, useState } from 'react';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Modal } from '../../ui/modal.js';
import { LEVELS, type Level, useGraph } from '../graph/index.js';
import { CONTROLS, type Controls, embedUrl, SIZES, type SizeName, snippet } from './embed-options.js';

/** Makes the element for an article: its size, its look, its title; and a preview. */
export function EmbedDialog() {
  const t = useT();
  const id = useId();
  const lang = useUI((s) => s.lang);
  const link = useUI((s) => s.link);
  const [title, setTitle] = useState(() => {
    const { info, scenarios } = useSession.getState();
    const scenario = scenarios.find((x) => x.name === info?.scenario);
    return `${scenario ? inLang(scenario.title, lang) : (info?.title ?? '')} · syncloop`;
  });
  const [size, setSize] = useState<SizeName>('medium');
  const [level, setLevel] = useState<Level | ''>(() => useGraph.getState().chosen ?? '');
  const [controls, setControls] = useState<Controls>('steps');
  const [vary, setVary] = useState('');
  const [preview, setPreview] = useState(false);
  const src = embedUrl(link, {
    level: level === '' ? null : level,
    controls,
    theme: 'system',
    vary: vary
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  });
  const text = snippet(src, title.trim() || 'syncloop', SIZES[size]);
  return (
    <Modal label={t('embed.title')} className="sl-embed-dialog">
      <h2>{t('embed.title')}</h2>
      <p>{t('embed.how')}</p>
      <div className="sl-embed-form u-grid u-center">
        <label htmlFor={`${id}-title`}>{t('embed.name')}</label>
        <input
          id={`${id}-title`}
          className="sl-input"
          value={title}
          maxLength={200}
          onChange={(e) => setTitle(e.currentTarget.value)}
        />
        <label htmlFor={`${id}-size`}>{t('embed.size')}</label>
        <select
          id={`${id}-size`}
          className="sl-input"
          value={size}
          onChange={(e) => setSize(e.currentTarget.value as SizeName)}
        >
          {(Object.keys(SIZES) as SizeName[]).map((name) => (
            <option key={name} value={name}>
              {t(`embed.size.${name}`, SIZES[name] as unknown as Record<string, number>)}
            </option>
          ))}
        </select>
        <label htmlFor={`${id}-level`}>{t('embed.level')}</label>
        <select
          id={`${id}-level`}
          className="sl-input"
          value={level}
          onChange={(e) => setLevel(e.currentTarget.value as Level | '')}
        >
          <option value="">{t('embed.level.fit')}</option>
          {LEVELS.map((l) => (
            <option key={l} value={l}>
              {t(`level.${l}`)}
            </option>
          ))}
        </select>
        <label htmlFor={`${id}-controls`}>{t('embed.controls')}</label>
        <select
          id={`${id}-controls`}
          className="sl-input"
          value={controls}
          onChange={(e) => setControls(e.currentTarget.value as Controls)}
        >
          {CONTROLS.map((c) => (
            <option key={c} value={c}>
              {t(`embed.controls.${c}`)}
            </option>
          ))}
        </select>
        <label htmlFor={`${id}-vary`}>{t('embed.vary')}</label>
        <textarea
          id={`${id}-vary`}
          className="sl-input sl-code"
          rows={2}
          placeholder={t('embed.vary.hint')}
          value={vary}
          onChange={(e) => setVary(e.currentTarget.value)}
        />
      </div>
      <textarea
        className="sl-input sl-code sl-link-text u-width-full u-break"
        aria-label={t('embed.snippet')}
        readOnly
        rows={4}
        value={text}
        data-testid="snippet"
        onFocus={(e) => e.currentTarget.select()}
      />
      <CopyButton text={text} />
      <p className="sl-small">{t('embed.note', { n: text.length })}</p>
      <button
        type="button"
        className="sl-button"
        aria-expanded={preview}
        data-testid="preview"
        onClick={() => setPreview(!preview)}
      >
        {t('embed.preview')}
      </button>
      {preview && <Preview key={src} src={src} title={title} size={size} />}
    </Modal>
  );
}

/** After this long without a message from the frame, the page has probably refused it. */
const SILENT_MILLIS = 10_000;

function Preview({ src, title, size }: { readonly src: string; readonly title: string; readonly size: SizeName }) {
  const t = useT();
  const frame = useRef<HTMLIFrameElement>(null);
  const [silent, setSilent] = useState(false);
  const { width, height } = SIZES[size];
  useEffect(() => {
    const timer = setTimeout(() => setSilent(true), SILENT_MILLIS);
    const onMessage = ({ source }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return;
      clearTimeout(timer);
      setSilent(false);
    };
    window.addEventListener('message', onMessage);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('message', onMessage);
    };
  }, []);
  return (
    <>
      {silent && (
        <p className="sl-small sl-bad" role="alert">
          {t('embed.blocked')}
        </p>
      )}
      <div className="sl-embed-preview u-scroll u-border">
        <iframe
          className="u-block u-border-0"
          ref={frame}
          src={src}
          title={title}
          width={width === 0 ? '100%' : width}
          height={height}
          data-testid="preview-frame"
        />
      </div>
    </>
  );
}
