import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../trace/use-trace.js';
import { type ActionPart, type LanePart, lanePart, type Tick } from '../../view-logic/lanes.js';
import { duration, seconds } from '../../view-logic/text.js';
import { Selectable } from './part.js';
import { BackoffRing, ContainerShape, SandboxBox } from './sandbox.js';

const STATE_SIGN: Readonly<Record<string, string>> = {
  sync: '●',
  terminating: '◐',
  terminated: '○',
  finished: '–',
  removed: '–',
};

/** A pod's lane. */
export const Lane = memo(function Lane({ uid, compact }: { readonly uid: string; readonly compact: boolean }) {
  const part = useTrace((s) => lanePart(s, uid));
  if (!part) return null;
  return (
    <div
      className="sl-lane"
      data-compact={compact || undefined}
      data-working={part.working || undefined}
      data-heat={part.heat}
      data-gone={!part.desired || undefined}
      data-testid={`lane-${part.pod}`}
    >
      <WorkerCell part={part} compact={compact} />
      <RuntimeCell part={part} compact={compact} />
      <CallCell part={part} />
      <NodeCell part={part} />
    </div>
  );
});

interface CellProps {
  readonly part: LanePart;
  readonly compact?: boolean;
}

function WorkerCell({ part, compact }: CellProps) {
  const t = useT();
  return (
    <div className="sl-cell sl-cell-worker">
      <div className="sl-row">
        <Selectable
          selection={{ kind: 'pod', uid: part.uid }}
          className="sl-part-title sl-code sl-lane-name"
          title={`${part.pod} ${part.uid}`}
        >
          {part.pod}
          {part.twin && <span className="sl-uid"> {part.uid.slice(0, 5)}</span>}
        </Selectable>
        {part.state !== 'removed' && (
          <span className="sl-phase" data-phase={part.phase} title={part.reason || undefined}>
            {part.phase}
          </span>
        )}
        {part.state !== '' && (
          <span className="sl-worker-state" data-state={part.state}>
            <span aria-hidden="true">{STATE_SIGN[part.state]}</span> {t(`state.${part.state as 'sync'}`)}
          </span>
        )}
      </div>
      {!compact && (
        <div className="sl-row">
          <span className="sl-code sl-small sl-fn">{part.syncFn}</span>
          <Ticks ticks={part.sync} fn={part.syncFn} />
        </div>
      )}
      <div className="sl-row sl-small">
        <Pending part={part} />
        <WaitLine part={part} />
      </div>
    </div>
  );
}

function Pending({ part }: CellProps) {
  const t = useT();
  const title = part.pending ? `${t('lane.pending')}: ${part.pending}` : t('lane.pendingNone');
  return (
    <span
      className="sl-pending"
      data-full={part.pending !== '' || undefined}
      title={part.overwrites > 0 ? `${title} · ${t('lane.overwrites', { n: part.overwrites })}` : title}
    >
      {part.pending}
    </span>
  );
}

function WaitLine({ part }: CellProps) {
  const t = useT();
  const s = (time: number) => t('time.s', { n: seconds(time) });
  if (part.newerThan !== null)
    return <span className="sl-wait sl-time-text">◔ {t('lane.cacheWait', { t: s(part.newerThan) })}</span>;
  if (part.working) return <span className="sl-wait sl-strong">▸ {t('lane.working', { fn: part.syncFn })}</span>;
  return (
    <span className="sl-wait">
      {part.error !== '' && (
        <span className="sl-bad" title={part.error}>
          ✕ {t('lane.error')}{' '}
        </span>
      )}
      {part.due !== null ? (
        <span className="sl-time-text">◷ {t('lane.due', { t: s(part.due) })}</span>
      ) : (
        part.error === '' && part.state !== '' && t('lane.idle')
      )}
    </span>
  );
}

/** Numbered steps that light up in the order in which they are taken. */
function Ticks({ ticks, fn }: { readonly ticks: readonly Tick[]; readonly fn: string }) {
  return (
    <span
      className="sl-ticks"
      role="img"
      aria-label={`${fn}: ${ticks
        .filter((x) => x.done)
        .map((x) => x.n)
        .join(' ')}`}
    >
      {ticks.map((tick) => (
        <span
          key={tick.n}
          className="sl-tick"
          data-done={tick.done || undefined}
          data-now={tick.now || undefined}
          title={`${fn} ${tick.n}. ${tick.name}`}
        >
          {tick.n}
        </span>
      ))}
    </span>
  );
}

function actionText(t: ReturnType<typeof useT>, a: ActionPart): string {
  switch (a.kind) {
    case 'create':
      return t('lane.actionCreate');
    case 'killPod':
      return t('lane.actionKillPod');
    case 'start':
      return t('lane.actionStart', { names: a.names });
    case 'init':
      return t('lane.actionInit', { names: a.names });
    case 'kill':
      return t('lane.actionKill', { names: a.names });
  }
}

function RuntimeCell({ part, compact }: CellProps) {
  const t = useT();
  const text =
    part.actions === null
      ? ''
      : part.actions.length === 0
        ? t('lane.actionsNone')
        : part.actions.map((a) => actionText(t, a)).join(' · ');
  return (
    <div className="sl-cell sl-cell-runtime">
      <div
        className="sl-row sl-actions"
        title={part.actions === null ? t('lane.actionsBefore') : `computePodActions: ${text}`}
        data-some={(part.actions?.length ?? 0) > 0 || undefined}
      >
        {text}
      </div>
      {!compact && (
        <div className="sl-row">{part.runtime.length > 0 && <Ticks ticks={part.runtime} fn={part.runtimeFn} />}</div>
      )}
      <div className="sl-row sl-starts">
        {part.startContainer !== '' &&
          part.start.map((tick) => (
            <span
              key={tick.n}
              className="sl-start"
              data-done={tick.done || undefined}
              data-now={tick.now || undefined}
              title={`startContainer ${part.startContainer}: ${tick.n}. ${tick.name}`}
            >
              {['pull', 'create', 'start', 'postStart'][tick.n - 1] ?? tick.n}
            </span>
          ))}
      </div>
    </div>
  );
}

function CallCell({ part }: CellProps) {
  const { call } = part;
  if (!call) return <div className="sl-cell sl-cell-call" />;
  return (
    <div
      className="sl-cell sl-cell-call"
      data-open={call.took === null || undefined}
      data-bad={call.error !== '' || undefined}
    >
      <Selectable selection={{ kind: 'record', seq: call.seq }} className="sl-call" title={call.error || call.method}>
        <span className="sl-code">{call.method}</span>
      </Selectable>
      <span className="sl-small">
        {call.took === null ? <Elapsed since={call.since} /> : call.error ? '✕' : `✓ ${duration(call.took)}`}
      </span>
    </div>
  );
}

/** How long something has been going on; changes at most every 10 ms of the run's time. */
export const Elapsed = memo(function Elapsed({ since }: { readonly since: number }) {
  const micros = useTrace((_, c) => Math.floor(Math.max(0, c.time - since) / 10_000) * 10_000);
  return <span className="sl-time-text sl-tabular">{duration(micros)}</span>;
});

function NodeCell({ part }: CellProps) {
  const t = useT();
  const absent = part.waiting.map((w) => (
    <span key={`${w.of}/${w.container}`} className="sl-container" title={`${w.container}: ${w.of}`}>
      <ContainerShape state="unknown" exitCode={null} />
      <span className="sl-container-name">{w.container}</span>
      <BackoffRing delay={w.delay} until={w.until} />
    </span>
  ));
  return (
    <div className="sl-cell sl-cell-node">
      {part.sandbox ? (
        <SandboxBox sandbox={part.sandbox}>{absent}</SandboxBox>
      ) : (
        <span className="sl-none">{part.state === '' ? '' : t('lane.noSandbox')}</span>
      )}
    </div>
  );
}
