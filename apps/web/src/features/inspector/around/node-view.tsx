import { useT } from '../../../i18n/index.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { Table } from '../../../ui/table/table.js';
import { seconds } from '../../../units/text.js';
import { nodeView } from '../../graph/index.js';
import './around.css';

/** Shows the node in the layout of `kubectl describe node`: conditions, resources, addresses, lease, images. */
export function NodeView() {
  const t = useT();
  const node = useTrace(nodeView);
  const lease = useTrace((s) => (s.node.lease ? { ...s.node.lease } : null));
  const images = useTrace((s) =>
    Object.values(s.images)
      .filter((i) => i.state === 'present')
      .map((i) => i.image),
  );
  if (node.name === '') return <p className="sl-empty">{t('all.node.none')}</p>;
  const time = (at: number) => t('time.s', { n: seconds(at) });
  return (
    <section className="sl-node-view u-pad-8 u-fs-2" data-testid="node-view">
      <h3>{t('node.report')}</h3>
      <p>
        {node.reports
          ? node.registered
            ? t('all.node.reports', { n: node.reported, t: node.lastReport === null ? '–' : time(node.lastReport) })
            : t('all.node.registers')
          : t('all.node.alone')}
      </p>
      <h3>{t('node.conditions')}</h3>
      <Table
        heads={[t('node.condition'), t('node.status'), t('node.reason')]}
        cell="4px 8px 4px 0"
        between
        className="u-fs-1"
      >
        {node.conditions.map((c) => (
          <tr key={c.type} data-bad={c.bad || undefined}>
            <th scope="row">
              {c.bad && <span aria-hidden="true">✕ </span>}
              {c.type}
            </th>
            <td>{c.status}</td>
            <td>
              {c.reason} <span className="sl-small sl-tabular">{t('node.since', { t: time(c.since) })}</span>
              <br />
              <span className="sl-node-message u-faint">{c.message}</span>
            </td>
          </tr>
        ))}
      </Table>
      <h3>{t('node.resources')}</h3>
      <Table
        heads={[t('node.resource'), t('node.capacity'), t('node.allocatable')]}
        cell="4px 8px 4px 0"
        between
        className="u-fs-1"
      >
        {node.resources.map((r) => (
          <tr key={r.name}>
            <th scope="row">{r.name}</th>
            <td className="sl-code">{r.capacity}</td>
            <td className="sl-code">{r.allocatable}</td>
          </tr>
        ))}
      </Table>
      <h3>{t('node.addresses')}</h3>
      <ul>
        {node.addresses.map((a) => (
          <li key={`${a.type} ${a.address}`}>
            {a.type} <span className="sl-code">{a.address}</span>
          </li>
        ))}
      </ul>
      <h3>{t('node.lease')}</h3>
      <p>
        {lease ? (
          <Selectable selection={{ kind: 'part', part: 'lease' }} className="sl-link">
            {lease.lastError === ''
              ? t('all.lease.renewals', { n: lease.renewals, t: time(lease.lastRenewal) })
              : t('all.failed', { error: lease.lastError })}
          </Selectable>
        ) : (
          t('node.noLease')
        )}
      </p>
      <h3>{t('node.images')}</h3>
      {images.length === 0 ? (
        <p>{t('node.noImages')}</p>
      ) : (
        <ul>
          {images.map((image) => (
            <li key={image} className="sl-code">
              {image}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
