import { useMemo } from 'react';
import { encode } from 'uqr';
import { useT } from '../../../i18n/index.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';

/** The audience's address, to be read and scanned from the last row, and its other addresses. */
export function LinkOfClass() {
  const t = useT();
  const links = useClass((s) => s.presenting.links);
  const [link, ...others] = links;
  if (link === undefined) return null;
  return (
    <Modal label={t('class.link')} className="sl-class-address u-text-center">
      <h2>{t('class.link')}</h2>
      <QrCode text={link} label={t('class.qr')} />
      <p className="sl-class-big u-break" data-testid="class-address">
        {link}
      </p>
      <p className="u-dim">{t('class.linkHelp')}</p>
      <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
        <CopyButton text={link} />
      </div>
      {others.length > 0 && (
        <details>
          <summary>{t('class.linkOthers')}</summary>
          <ul>
            {others.map((other) => (
              <li key={other}>
                <code>{other}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Modal>
  );
}

/** Dark on light in every theme: cameras read it so. One path, so that the page's policy needs no inline style. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const { data } = encode(text, { ecc: 'M', border: 4 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: squares.join(''), size: data.length };
  }, [text]);
  return (
    <svg
      className="sl-class-qr u-block u-round"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      data-testid="class-qr"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
