import { useMemo } from 'react';
import { encode } from 'uqr';
import { runCommand } from '../../../commands/index.js';
import { useT } from '../../../i18n/index.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { Modal } from '../../../ui/modal.js';
import { useClass } from '../class-store.js';
import { codeText } from '../follower/join.js';
import { hostOf, isLocal } from './links.js';

/** The audience's address with its code, to be read and scanned from the last row, and the choice of the network. */
export function LinkOfClass() {
  const t = useT();
  const { links, code, reason } = useClass((s) => s.presenting);
  const [link, ...others] = links;
  if (link === undefined) return null;
  const { origin } = new URL(link);
  const local = isLocal(link);
  return (
    <Modal label={t('class.link')} className="sl-class-address u-text-center">
      <h2>{t('class.link')}</h2>
      <Network link={link} />
      {reason !== '' && (
        <p className="u-failure" role="status">
          {t('class.agentRefused', { why: reason })}
        </p>
      )}
      {!local && <QrCode text={link} label={t('class.qr')} />}
      <p className="sl-class-big u-break" data-testid="class-address">
        {origin}
      </p>
      <p className="sl-class-code" data-testid="class-code">
        <span className="u-dim">{t('class.codeIs')}</span> <strong className="sl-class-big">{codeText(code)}</strong>
      </p>
      <p className="u-dim">{t(local ? 'class.onlyHere' : 'class.linkHelp')}</p>
      {!local && origin.startsWith('http:') && <p className="u-dim u-fs-2">{t('class.unencrypted')}</p>}
      <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
        <CopyButton text={link} />
      </div>
      {others.length > 0 && !local && (
        <details>
          <summary>{t('class.linkOthers')}</summary>
          <ul>
            {others.map((other) => (
              <li key={other}>
                <code>{new URL(other).origin}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Modal>
  );
}

/** The choice of the address at which the class is served; nothing if it was chosen at the start. */
function Network({ link }: { readonly link: string }) {
  const t = useT();
  const addresses = useClass((s) => s.presenting.addresses);
  if (addresses.length === 0) return null;
  return (
    <label className="sl-class-row u-row u-wrap u-gap-8">
      {t('class.network')}
      <select
        className="sl-input"
        value={hostOf(link)}
        data-testid="class-network"
        onChange={(e) => runCommand('class.listen', e.currentTarget.value)}
      >
        {addresses.map(({ address, name }) => (
          <option key={address} value={address}>
            {name === '' ? t('class.thisMachine') : `${address} (${name})`}
          </option>
        ))}
      </select>
    </label>
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
