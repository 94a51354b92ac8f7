import { memo, type ReactNode } from 'react';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../trace/use-trace.js';
import type { ContainerGlyph, SandboxGlyph } from '../../view-logic/lanes.js';
import { seconds } from '../../view-logic/text.js';
import { Selectable } from './part.js';

/** A container's state by colour and by shape: disc, ring, square, cross, question. */
export function ContainerShape({ state, exitCode }: Pick<ContainerGlyph, 'state' | 'exitCode'>) {
  const failed = state === 'exited' && exitCode !== 0 && exitCode !== null;
  return (
    <svg
      className="sl-shape"
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
}: {
  readonly delay: number;
  readonly until: number;
}) {
  const t = useT();
  const left = useTrace(
    (_, c) => Math.round(Math.min(1, Math.max(0, (until - c.time) / Math.max(1, delay))) * 40) / 40,
  );
  const length = 2 * Math.PI * 5;
  const label = t('lane.backoff', { t: t('time.s', { n: seconds(until, 1) }) });
  return (
    <svg className="sl-ring" viewBox="0 0 14 14" width="14" height="14" role="img" aria-label={label}>
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

export function SandboxBox({ sandbox, children }: { readonly sandbox: SandboxGlyph; readonly children?: ReactNode }) {
  const t = useT();
  return (
    <div className="sl-sandbox" data-state={sandbox.state} data-testid="sandbox">
      <Selectable
        selection={{ kind: 'sandbox', id: sandbox.id }}
        className="sl-part-title sl-sandbox-title"
        label={`${t('lane.sandbox')} ${t(`state.${sandbox.state}`)}`}
      >
        <span>
          {sandbox.state === 'ready' ? t('lane.sandbox') : `${t('lane.sandbox')}: ${t(`state.${sandbox.state}`)}`}
        </span>
        {sandbox.attempt > 0 && <span className="sl-restarts">×{sandbox.attempt}</span>}
        <span className="sl-ip">{sandbox.ip}</span>
      </Selectable>
      <div className="sl-containers">
        {sandbox.containers.map((c) => (
          <Container key={c.id} container={c} />
        ))}
        {children}
      </div>
    </div>
  );
}

function Container({ container: c }: { readonly container: ContainerGlyph }) {
  const t = useT();
  const state = c.state === 'exited' ? `${t('state.exited')} ${c.exitCode ?? ''}` : t(`state.${c.state}`);
  const title = [c.name, state, c.reason, c.restarts > 0 && t('lane.restarts', { n: c.restarts })]
    .filter(Boolean)
    .join(' · ');
  return (
    <Selectable selection={{ kind: 'container', id: c.id }} className="sl-container" title={title} label={title}>
      <ContainerShape state={c.state} exitCode={c.exitCode} />
      <span className="sl-container-name">{c.name}</span>
      <span className="sl-container-state" data-state={c.state === 'exited' && c.exitCode ? 'failed' : c.state}>
        {c.state === 'exited' ? (c.exitCode ?? '') : ''}
      </span>
      {c.restarts > 0 && <span className="sl-restarts">×{c.restarts}</span>}
      {c.backoff && <BackoffRing {...c.backoff} />}
    </Selectable>
  );
}
