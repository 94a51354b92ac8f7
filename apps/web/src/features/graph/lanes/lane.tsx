import './lanes-steps.css';
import { memo } from 'react';
import { useT } from '../../../i18n/index.js';
import { updateConstant } from '../../../run/source-names.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { Slot } from '../../../shell/slot.js';
import { duration, seconds } from '../../../units/text.js';
import { EndName } from '../end-name.js';
import { ActionsLink } from './actions-link.js';
import { CounterpartMark, CounterpartOnly } from './counterpart-mark.js';
import { PlanTable } from './lane-plan.js';
import { lanes } from './lane-scroll.js';
import { NewestStep, StepLink, StepList, Ticks } from './lane-steps.js';
import { actionText } from './lane-words.js';
import { type LaneCall, type LanePart, lanePart } from './logic/lanes.js';
import type { LaneDensity } from './logic/lanes-layout.js';
import { AbsentContainer, SandboxBox } from './sandbox.js';

const STATE_SIGN: Readonly<Record<string, string>> = {
  sync: '●',
  terminating: '◐',
  terminated: '○',
  finished: '–',
  removed: '–',
};

/** A pod's lane: everything if there is room, less if many share it. */
export const Lane = memo(function Lane({ uid, density }: { readonly uid: string; readonly density: LaneDensity }) {
  const part = useTrace((s) => lanePart(s, uid, lanes.index()));
  if (!part) return null;
  return (
    <div
      className="sl-lane u-grid u-height-full u-border-bottom"
      data-density={density}
      data-working={part.working || undefined}
      data-heat={part.heat}
      data-gone={!part.desired || undefined}
      data-testid={`lane-${part.pod}`}
    >
      <WorkerCell part={part} density={density} />
      <RuntimeCell part={part} density={density} />
      <CallCell part={part} density={density} />
      <NodeCell part={part} density={density} />
    </div>
  );
});

const POD_FACTS = ['phase', 'worker'] as const;

interface PartProps {
  readonly part: LanePart;
}
interface CellProps extends PartProps {
  readonly density: LaneDensity;
}
/** Room for the steps' names. */
const named = (density: LaneDensity): boolean => density === 'full' || density === 'half';

function WorkerCell({ part, density }: CellProps) {
  const t = useT();
  const wide = named(density);
  return (
    <div className="sl-cell sl-cell-worker u-column u-min-width-0 u-relative">
      <div className="sl-row">
        <Selectable
          selection={{ kind: 'pod', uid: part.uid }}
          className="sl-part-title sl-code sl-lane-name u-min-width-0 u-clip u-fs-1"
          title={`${part.pod} ${part.uid}`}
        >
          <EndName name={part.pod} />
          {part.twin && <span className="u-fs-1 u-weight-400 u-faint"> {part.uid.slice(0, 5)}</span>}
        </Selectable>
        {part.state !== 'removed' && (
          <span className="sl-phase u-fs-1 u-dim" data-phase={part.phase} title={part.reason || undefined}>
            {part.phase}
          </span>
        )}
        {part.state !== '' && (
          <span className="sl-worker-state u-nowrap u-push u-fs-1 u-dim" data-state={part.state}>
            <span aria-hidden="true">{STATE_SIGN[part.state]}</span> {t(`state.${part.state as 'sync'}`)}
          </span>
        )}
        <CounterpartMark uid={part.uid} what={POD_FACTS} />
      </div>
      {density === 'full' && (
        <>
          <div className="sl-row sl-small sl-pending-row u-nowrap">
            <span className={part.pendingField === '' ? undefined : 'sl-code'} title={t('lanes.pending')}>
              {part.pendingField || t('lanes.pending')}
            </span>
            <Pending part={part} constant />
            {part.overwrites > 0 && (
              <span className="sl-clip u-clip" title={t('lane.overwrites', { n: part.overwrites })}>
                {t('lanes.overwrote', { n: part.overwrites })}
              </span>
            )}
          </div>
          <div className="sl-row sl-small">
            <WaitLine part={part} />
          </div>
        </>
      )}
      {density === 'half' && (
        <div className="sl-row sl-small">
          <Pending part={part} />
          <WaitLine part={part} />
        </div>
      )}
      {wide && (
        <>
          <p className="sl-track-title u-flex-none u-clip u-dim">{part.syncFn}</p>
          <StepList
            ticks={part.sync}
            fn={part.syncFn}
            columns={density === 'full' ? 1 : 2}
            links={density === 'full'}
          />
        </>
      )}
      {(density === 'row' || density === 'compact') && (
        <div className="sl-row">
          <span className="sl-code sl-small u-flex-none u-faint">{part.syncFn}</span>
          <Ticks ticks={part.sync} fn={part.syncFn} />
        </div>
      )}
      {density === 'row' && (
        <div className="sl-row sl-small">
          <NewestStep ticks={part.sync} />
        </div>
      )}
      {!wide && (
        <div className="sl-row sl-small">
          <Pending part={part} />
          <WaitLine part={part} />
        </div>
      )}
    </div>
  );
}

/** `constant`: there is room for the name that the source has for the kind of update. */
function Pending({ part, constant = false }: PartProps & { readonly constant?: boolean }) {
  const t = useT();
  const name = updateConstant(part.pending);
  const title = part.pending
    ? `${t('lane.pending')}: ${part.pending} (${[name, part.pendingField].filter(Boolean).join(', ')})`
    : t('lane.pendingNone');
  return (
    <span
      className="sl-pending u-flex-none u-round-2 u-text-center"
      data-full={part.pending !== '' || undefined}
      title={part.overwrites > 0 ? `${title} · ${t('lane.overwrites', { n: part.overwrites })}` : title}
    >
      {constant ? name : part.pending}
    </span>
  );
}

function WaitLine({ part }: PartProps) {
  const t = useT();
  const s = (time: number) => t('time.s', { n: seconds(time) });
  if (part.newerThan !== null)
    return <span className="sl-time-text u-min-width-0 u-clip">◔ {t('lane.cacheWait', { t: s(part.newerThan) })}</span>;
  if (part.working)
    return <span className="sl-strong u-min-width-0 u-clip">▸ {t('lane.working', { fn: part.syncFn })}</span>;
  return (
    <span className="u-min-width-0 u-clip">
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

function RuntimeCell({ part, density }: CellProps) {
  const startTitle = part.startContainer === '' ? 'startContainer' : `startContainer ${part.startContainer}`;
  if (!named(density)) {
    return (
      <div className="sl-cell sl-cell-runtime u-column u-min-width-0 u-relative">
        <Actions part={part} />
        {(density === 'row' || density === 'compact') && (
          <div className="sl-row">{part.runtime.length > 0 && <Ticks ticks={part.runtime} fn={part.runtimeFn} />}</div>
        )}
        {density === 'row' && (
          <div className="sl-row sl-small">
            <NewestStep ticks={part.runtime} />
          </div>
        )}
        <Starts part={part} />
      </div>
    );
  }
  const full = density === 'full';
  return (
    <div className="sl-cell sl-cell-runtime u-column u-min-width-0 u-relative">
      <p className="sl-track-title u-flex-none u-clip u-dim">
        <ActionsLink uid={part.uid}>computePodActions</ActionsLink>
      </p>
      <PlanTable plan={part.plan} short={!full} />
      <p className="sl-track-title u-flex-none u-clip u-dim">{part.runtimeFn}</p>
      {full ? (
        <StepList ticks={part.runtime} fn={part.runtimeFn} columns={1} links />
      ) : (
        <>
          <Ticks ticks={part.runtime} fn={part.runtimeFn} />
          <div className="sl-row sl-small">
            <NewestStep ticks={part.runtime} />
          </div>
        </>
      )}
      <p className="sl-track-title u-flex-none u-clip u-dim">{startTitle}</p>
      {full ? <StepList ticks={part.start} fn={startTitle} columns={1} links /> : <Starts part={part} always />}
    </div>
  );
}

function Actions({ part }: PartProps) {
  const t = useT();
  const text =
    part.actions === null
      ? ''
      : part.actions.length === 0
        ? t('lane.actionsNone')
        : part.actions.map((a) => actionText(t, a)).join(' · ');
  return (
    <div
      className="sl-row sl-actions u-block u-clip u-fs-1 u-faint"
      title={part.actions === null ? t('lane.actionsBefore') : `computePodActions: ${text}`}
      data-some={(part.actions?.length ?? 0) > 0 || undefined}
    >
      {text && (
        <ActionsLink uid={part.uid} pointerOnly>
          {text}
        </ActionsLink>
      )}
    </div>
  );
}

function Starts({ part, always = false }: PartProps & { readonly always?: boolean }) {
  return (
    <div className="sl-row sl-starts u-gap-2 u-hidden-overflow">
      {(always || part.startContainer !== '') &&
        part.start.map((tick) => (
          <span
            key={tick.n}
            className="sl-start u-border u-round-2 u-fs-1 u-faint"
            data-done={tick.done || undefined}
            data-now={tick.now || undefined}
            title={`startContainer ${part.startContainer}: ${tick.n}. ${tick.name}`}
          >
            <StepLink tick={tick} pointerOnly className="sl-step-link">
              {['pull', 'create', 'start', 'postStart'][tick.n - 1] ?? tick.n}
            </StepLink>
          </span>
        ))}
    </div>
  );
}

/** Calls in sight, by the room there is; the newest is at the line that it travels. */
const CALLS: Readonly<Record<LaneDensity, number>> = { full: 10, half: 4, row: 1, compact: 1, line: 1 };

function CallCell({ part, density }: CellProps) {
  const newest = part.calls.slice(0, CALLS[density]).reverse();
  const [last] = part.calls;
  return (
    <div
      className="sl-cell sl-cell-call u-column u-min-width-0 u-relative"
      data-open={last?.took === null || undefined}
      data-bad={(last !== undefined && last.error !== '') || undefined}
    >
      {newest.map((call) => (
        <Call key={call.seq} call={call} />
      ))}
    </div>
  );
}

function Call({ call }: { readonly call: LaneCall }) {
  return (
    <div
      className="sl-lane-call u-column u-start u-min-width-0"
      data-open={call.took === null || undefined}
      data-bad={call.error !== '' || undefined}
    >
      <Selectable
        selection={{ kind: 'record', seq: call.seq }}
        className="sl-call u-clip u-fs-1 u-faint"
        title={call.error || call.method}
      >
        <span className="sl-code">{call.method}</span>
      </Selectable>
      <span className="sl-small u-faint">
        {call.took === null ? <Elapsed since={call.since} /> : call.error ? '✕' : `✓ ${duration(call.took)}`}
      </span>
    </div>
  );
}

/** Shows how long something has been going on; changes at most every 10 ms of the run's time. */
export const Elapsed = memo(function Elapsed({ since }: { readonly since: number }) {
  const micros = useTrace((_, c) => Math.floor(Math.max(0, c.time - since) / 10_000) * 10_000);
  return <span className="sl-time-text sl-tabular">{duration(micros)}</span>;
});

function NodeCell({ part, density }: CellProps) {
  const t = useT();
  const wide = named(density);
  const absent = part.waiting.map((w) => (
    <AbsentContainer key={`${w.of}/${w.container}`} container={w} uid={part.uid} wide={wide} />
  ));
  const shown = [...(part.sandbox?.containers ?? []).map((c) => c.name), ...part.waiting.map((w) => w.container)];
  return (
    <div className="sl-cell sl-cell-node u-column u-min-width-0 u-relative">
      {part.sandbox ? (
        <SandboxBox sandbox={part.sandbox} uid={part.uid} wide={wide}>
          {absent}
          <Slot at="lane.absent" props={{ uid: part.uid, shown, wide }} />
        </SandboxBox>
      ) : (
        <span className="u-fs-1 u-text-center u-faint">{part.state === '' ? '' : t('lane.noSandbox')}</span>
      )}
      <CounterpartOnly uid={part.uid} />
    </div>
  );
}
