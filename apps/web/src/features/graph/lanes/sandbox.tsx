import { memo, type ReactNode } from 'react';
import { useT } from '../../../i18n/index.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { Slot } from '../../../shell/slot.js';
import { seconds } from '../../../units/text.js';
import { CounterpartMark } from './counterpart-mark.js';
import { containerText } from './lane-words.js';
import type { ContainerGlyph, SandboxGlyph } from './logic/lanes.js';

/** A container's state by colour and by shape: disc, ring, square, cross, question. */
export function ContainerShape({ state, exitCode }: Pick<ContainerGlyph, 'state' | 'exitCode'>) {
  const failed = state === 'exited' && exitCode !== 0 && exitCode !== null;
  return (
    <svg
      className="sl-shape u-flex-none u-faint"
      viewBox="0 0 12 12"
      width="12"
      height="12"
      aria-hidden="true"
      data-state={failed ? 'failed' : state}
    >
      {state === 'running' && <circle cx="6" cy="6" r="4.5" className="sl-solid" />}
      {state === 'created' && <circle cx="6" cy="6" r="4" className="sl-hollow" />}
      {state === 'exited' && !failed && <rect x="2" y="2" width="8" height="8" className="sl-hollow" />}
      {failed && <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" className="sl-hollow" />}
      {state === 'unknown' && <circle cx="6" cy="6" r="4" className="sl-dashed" />}
    </svg>
  );
}

/** Time left until a container may be tried again, as a ring that shrinks. */
export const BackoffRing = memo(function BackoffRing({
  delay,
  until,
  size = 14,
}: {
  readonly delay: number;
  readonly until: number;
  readonly size?: number;
}) {
  const t = useT();
  const left = useTrace(
    (_, c) => Math.round(Math.min(1, Math.max(0, (until - c.time) / Math.max(1, delay))) * 40) / 40,
  );
  const length = 2 * Math.PI * 5;
  const label = t('lane.backoff', { t: t('time.s', { n: seconds(until, 1) }) });
  return (
    <svg className="sl-ring u-flex-none" viewBox="0 0 14 14" width={size} height={size} role="img" aria-label={label}>
      <title>{label}</title>
      <circle cx="7" cy="7" r="5" className="sl-ring-track" />
      <circle
        cx="7"
        cy="7"
        r="5"
        className="sl-ring-left"
        strokeDasharray={`${left * length} ${length}`}
        transform="rotate(-90 7 7)"
      />
    </svg>
  );
});

const CONTAINER_FACTS = ['container', 'restarts'] as const;

interface SandboxProps {
  readonly sandbox: SandboxGlyph;
  /** The UID of its pod. */
  readonly uid: string;
  /** A line for each container, with its state in words. */
  readonly wide?: boolean;
  readonly children?: ReactNode;
}

/** Shows a sandbox around its containers. */
export function SandboxBox({ sandbox, uid, wide = false, children }: SandboxProps) {
  const t = useT();
  return (
    <div
      className="sl-sandbox u-column u-grow u-min-height-0 u-relative u-hidden-overflow u-round"
      data-state={sandbox.state}
      data-wide={wide || undefined}
      data-testid="sandbox"
    >
      <Selectable
        selection={{ kind: 'sandbox', id: sandbox.id }}
        className="sl-part-title sl-sandbox-title u-flex u-wrap u-fs-1 u-dim"
      >
        <span>
          {t('lane.sandbox')}
          <span className={sandbox.state === 'ready' ? 'sl-visually-hidden' : undefined}>
            : {t(`state.${sandbox.state}`)}
          </span>
        </span>{' '}
        {sandbox.attempt > 0 && <span className="sl-restarts u-fs-1 u-tabular">×{sandbox.attempt}</span>}{' '}
        <span className="sl-ip u-push u-tabular u-faint">{sandbox.ip}</span>
      </Selectable>
      <div className="sl-containers u-flex u-wrap">
        {sandbox.containers.map((c) => (
          <Container key={c.id} container={c} uid={uid} wide={wide} />
        ))}
        {wide && sandbox.containers.length === 0 && !children && (
          <span className="sl-small">{t('lanes.noContainers')}</span>
        )}
        {children}
      </div>
    </div>
  );
}

function Container({
  container: c,
  uid,
  wide,
}: {
  readonly container: ContainerGlyph;
  readonly uid: string;
  readonly wide: boolean;
}) {
  const t = useT();
  const state = containerText(t, c);
  const title = [c.name, state, c.reason, c.restarts > 0 && t('lane.restarts', { n: c.restarts })]
    .filter(Boolean)
    .join(' · ');
  const look = c.state === 'exited' && c.exitCode ? 'failed' : c.state;
  return (
    <>
      <Selectable
        selection={{ kind: 'container', id: c.id }}
        className="sl-container u-inline-flex u-center u-gap-4 u-relative u-round-2 u-fs-1 u-z-1"
        title={title}
      >
        <ContainerShape state={c.state} exitCode={c.exitCode} />
        <span className="sl-container-name u-clip">{c.name}</span>{' '}
        {!wide && <span className="sl-visually-hidden">{state} </span>}
        <span className="sl-container-state" data-state={look} aria-hidden={!wide}>
          {wide ? state : c.state === 'exited' ? (c.exitCode ?? '') : ''}
        </span>{' '}
        {c.restarts > 0 && <span className="sl-restarts u-fs-1 u-tabular">×{c.restarts}</span>}
        {c.backoff && <Backoff {...c.backoff} wide={wide} />}
        <CounterpartMark uid={uid} what={CONTAINER_FACTS} container={c.name} />
      </Selectable>
      <Slot at="lane.container" props={{ uid, name: c.name, wide }} />
    </>
  );
}

function Backoff({ delay, until, wide }: { readonly delay: number; readonly until: number; readonly wide: boolean }) {
  const t = useT();
  return (
    <>
      <BackoffRing delay={delay} until={until} size={wide ? 20 : 14} />
      {wide && (
        <span className="u-fs-1 u-tabular u-failure">
          {t('lanes.backoffUntil', { t: t('time.s', { n: seconds(until, 1) }) })}
        </span>
      )}
    </>
  );
}

/** A container that does not exist yet, for something is backed off from. */
export function AbsentContainer({
  container: w,
  uid,
  wide,
}: {
  readonly uid: string;
  readonly container: {
    readonly container: string;
    readonly of: string;
    readonly delay: number;
    readonly until: number;
  };
  readonly wide: boolean;
}) {
  const t = useT();
  const why = w.of === 'image-pull' ? t('lanes.backoffOf.image-pull') : w.of;
  return (
    <>
      <span
        className="sl-container u-inline-flex u-center u-gap-4 u-relative u-round-2 u-fs-1 u-z-1"
        title={`${w.container}: ${why}`}
      >
        <ContainerShape state="unknown" exitCode={null} />
        <span className="sl-container-name u-clip">{w.container}</span>
        {wide && <span className="sl-container-state">{why}</span>}
        <Backoff delay={w.delay} until={w.until} wide={wide} />
      </span>
      <Slot at="lane.container" props={{ uid, name: w.container, wide }} />
    </>
  );
}
