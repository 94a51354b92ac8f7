import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { type FactPair, factPairs, useCounterpart } from '../../run/counterpart.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Facts } from '../../ui/facts/facts.js';
import { Table } from '../../ui/table/table.js';
import { useTwin } from './twin-store.js';
import './twin.css';

/** Shows what the other run has for the selection, and whether that is a difference. */
export function TwinValues({ selection }: { readonly selection: Selection }) {
  if (selection.kind === 'record') return <OfRecord seq={selection.seq} />;
  if (selection.kind === 'pod' || selection.kind === 'container' || selection.kind === 'sandbox')
    return <OfPod selection={selection} />;
  return null;
}

function OfRecord({ seq }: { readonly seq: number }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const side = useSession((s) => s.run.twin?.side ?? 'seen');
  const answer = useTwin((s) => s.answer);
  if (!answer) return null;
  const { pairs, differences } = answer.verdict;
  const difference = differences.findIndex((d) => d[side]?.seq === seq);
  const paired = difference < 0 && pairs.some((pair) => pair[side] === seq);
  const found = differences[difference];
  return (
    <section className="sl-twin-values" aria-label={t('twin.values')} data-testid="twin-values">
      <h3>{t('twin.values')}</h3>
      {found && (
        <>
          <p className="sl-twin-apart">
            <span aria-hidden="true">≠</span> {lang === 'zh-CN' ? found.text.zh : found.text.en}
          </p>
          {found.values && <Both here={side} seen={found.values.seen} twin={found.values.twin} />}
        </>
      )}
      {paired && <p>= {t('twin.paired')}</p>}
      {!found && !paired && <p className="sl-small">{t('twin.unpaired')}</p>}
      <button
        type="button"
        className="sl-button u-above-6"
        data-testid="twin-there"
        onClick={() => runCommand('twin.there', seq)}
      >
        {t(side === 'seen' ? 'twin.inTwin' : 'twin.inSeen')}
      </button>
    </section>
  );
}

function Both({ seen, twin }: { readonly here: 'seen' | 'twin'; readonly seen: unknown; readonly twin: unknown }) {
  const t = useT();
  return (
    <Facts className="sl-twin-pair">
      <dt className="u-fs-1">{t('twin.show.seen')}</dt>
      <dd className="sl-code">{JSON.stringify(seen)}</dd>
      <dt className="u-fs-1">{t('twin.show.twin')}</dt>
      <dd className="sl-code">{JSON.stringify(twin)}</dd>
    </Facts>
  );
}

function OfPod({ selection }: { readonly selection: Extract<Selection, { kind: 'pod' | 'container' | 'sandbox' }> }) {
  const t = useT();
  const counterpart = useCounterpart((s) => s.counterpart);
  const side = useSession((s) => s.run.twin?.side ?? 'seen');
  const pairs = useTrace((state) => {
    const of =
      selection.kind === 'pod'
        ? { uid: selection.uid, container: null }
        : selection.kind === 'sandbox'
          ? { uid: state.sandboxes[selection.id]?.uid ?? '', container: null }
          : { uid: state.containers[selection.id]?.uid ?? '', container: state.containers[selection.id]?.name ?? null };
    const all = counterpart && counterpart.side !== side ? factPairs(state, of.uid, counterpart.facts) : undefined;
    if (!all) return all;
    return all.filter((f) => of.container === null || f.container === of.container);
  });
  if (pairs === undefined) return null;
  const apart = (pairs ?? []).filter(({ here, there }) => here !== there);
  return (
    <section className="sl-twin-values" aria-label={t('twin.values')} data-testid="twin-values">
      <h3>{t('twin.values')}</h3>
      {pairs === null && <p className="sl-twin-apart">{t(side === 'seen' ? 'twin.notInTwin' : 'twin.notInSeen')}</p>}
      {pairs !== null && apart.length === 0 && <p className="sl-small">{t('twin.noneApart')}</p>}
      {apart.length > 0 && <FactPairs facts={apart} side={side} />}
    </section>
  );
}

function FactPairs({ facts, side }: { readonly facts: readonly FactPair[]; readonly side: 'seen' | 'twin' }) {
  const t = useT();
  return (
    <Table heads={[null, t('twin.show.seen'), t('twin.show.twin')]} cell="1px 8px 1px 0" className="u-break">
      {facts.map(({ what, container, here, there }) => (
        <tr key={`${what} ${container}`}>
          <th scope="row">
            {container !== '' && <span className="sl-code">{container} </span>}
            {t(`twin.fact.${what}`)}
          </th>
          <td className="sl-code">{side === 'seen' ? here : there}</td>
          <td className="sl-code">{side === 'seen' ? there : here}</td>
        </tr>
      ))}
    </Table>
  );
}
