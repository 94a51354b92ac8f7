import { runCommand } from '../../commands/index.js';
import { type MessageKey, useT } from '../../i18n/index.js';
import { keyOfChannel } from '../../run/loop.js';
import { useTrace } from '../../run/use-trace.js';
import { useWhen } from '../../run/wall-time.js';
import { Selectable } from '../../selection/selectable.js';
import { shortPod } from '../../units/text.js';
import { goroutineCard, type WaitCard } from './logic/goroutine.js';

/** Shows why a goroutine stands still, and the calls that it is in. */
export function Goroutine({ id }: { readonly id: number }) {
  const t = useT();
  const when = useWhen();
  const card = useTrace((s) => goroutineCard(s, id));
  if (!card) return null;
  const { wait, calls, state, since, uid, pod, process } = card;
  return (
    <section className="sl-goroutine u-column u-gap-4" data-testid="goroutine">
      <p>
        {wait ? <Waits wait={wait} /> : t(state === 'dead' ? 'goroutine.dead' : 'goroutine.runnable')}
        {', '}
        <span className="sl-time-text sl-tabular">{t('goroutine.since', { t: when(since) })}</span>
      </p>
      <p className="sl-small">
        {process}
        {uid !== '' && (
          <>
            {' · '}
            <Selectable selection={{ kind: 'pod', uid }} className="sl-link">
              {t('goroutine.worker', { pod: shortPod(pod) })}
            </Selectable>
          </>
        )}
      </p>
      <h3 className="u-dim u-above-6">{t('goroutine.calls')}</h3>
      {calls.length === 0 ? (
        <p className="sl-small">{t('goroutine.noCalls')}</p>
      ) : (
        <ol className="sl-calls">
          {calls.map((c) => (
            <li key={c.seq}>
              <button
                type="button"
                className="sl-call-row u-width-full u-break u-bare u-pointer u-text-left"
                title={t('inspector.selectRecord', { seq: c.seq })}
                onClick={() => runCommand('view.select', { kind: 'record', seq: c.seq })}
              >
                <code>{c.fn}</code>
                {c.args !== '' && <span className="u-fs-1 u-weight-400 u-mono u-dim">({c.args})</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Waits({ wait }: { readonly wait: WaitCard }) {
  const t = useT();
  const when = useWhen();
  const { op, channels, name, until } = wait;
  const key: MessageKey = `wait.${op}`;
  return (
    <>
      {t(key, { name, t: until === null ? '' : when(until) })}{' '}
      {channels.map((c, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a select may have one channel twice
        <span key={`${c.id} ${i}`}>
          {i > 0 && ', '}
          {c.id === 0 ? (
            'nil'
          ) : (
            <Selectable selection={{ kind: 'channel', name: keyOfChannel(c.name) ?? c.name }} className="sl-link">
              {c.name}
            </Selectable>
          )}
        </span>
      ))}
    </>
  );
}
