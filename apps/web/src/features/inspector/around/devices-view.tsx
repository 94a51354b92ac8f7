import { useT } from '../../../i18n/index.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { devicesView, deviceWord } from '../../graph/index.js';
import './around.css';

/** The devices of all plug-ins, and which pod has which. */
export function DevicesView() {
  const t = useT();
  const { there, away, rows } = useTrace(devicesView);
  if (rows.length === 0) return <p className="sl-empty">{t(there ? 'all.devices.none' : 'all.devices.what')}</p>;
  return (
    <section className="sl-node-view u-pad-8 u-fs-2" data-testid="devices-view">
      <h3>{t('devices.title')}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('devices.device')}</th>
            <th scope="col">{t('devices.state')}</th>
            <th scope="col">{t('devices.pod')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.key} data-bad={!r.healthy || undefined}>
              <th scope="row">
                {!r.healthy && <span aria-hidden="true">✕ </span>}
                {r.id}
                <br />
                <span className="sl-node-message sl-code">{r.resource}</span>
              </th>
              <td>{t(deviceWord(r))}</td>
              <td>
                {r.uid === '' ? (
                  '–'
                ) : (
                  <Selectable selection={{ kind: 'pod', uid: r.uid }} className="sl-link sl-code">
                    {r.pod}
                  </Selectable>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {away.length > 0 && <p className="sl-bad">✕ {t('all.devices.away', { resources: away.join(', ') })}</p>}
    </section>
  );
}
