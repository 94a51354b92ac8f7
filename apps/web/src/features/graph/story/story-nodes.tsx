import type { NodeProps } from '@xyflow/react';
import { Fragment, memo, type ReactNode } from 'react';
import './story.css';
import { runCommand } from '../../../commands/index.js';
import { type MessageKey, useT } from '../../../i18n/index.js';
import type { Selection } from '../../../page/ui-store.js';
import { CHANNELS, HANDLERS } from '../../../run/loop.js';
import { useSession } from '../../../run/session-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { Selectable } from '../../../selection/selectable.js';
import { Slot } from '../../../shell/slot.js';
import { Die } from '../../../ui/die.js';
import { seconds } from '../../../units/text.js';
import { STORY_KIND, type StoryBox } from '../geometry/geometry-story.js';
import { useArrangement } from '../graph-view.js';
import { ContainerShape } from '../lanes/sandbox.js';
import { PartBox } from '../part.js';
import {
  storyChoice,
  storyDesired,
  storyHandler,
  storyInputs,
  storyNode,
  storyPLEG,
  storyStatus,
  storyWorkers,
} from '../parts/parts-story.js';
import { recent } from '../parts/recent-items.js';

interface BoxProps {
  readonly box: StoryBox;
  readonly selection: Selection;
  readonly active?: boolean;
  readonly dim?: boolean;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** A box of the Story: its name, a sentence on its purpose, and its content. */
function Box({ box, selection, active = false, dim = false, testId, children }: BoxProps) {
  const t = useT();
  return (
    <PartBox
      kind={STORY_KIND[box]}
      active={active}
      dim={dim}
      className="sl-story u-column u-gap-8 u-fs-3"
      testId={testId ?? `story-${box}`}
      head={
        <Selectable selection={selection} className="sl-part-title">
          {t(`story.${box}`)}
        </Selectable>
      }
    >
      <p className="sl-story-what u-dim">{t(`story.${box}.what` as MessageKey)}</p>
      <div className="sl-story-live u-column u-gap-6 u-grow u-min-height-0 u-hidden-overflow">{children}</div>
    </PartBox>
  );
}

function useMost(wide: number, narrow: number): number {
  const arrangement = useArrangement();
  return arrangement === 'story-flat' ? 1 : arrangement === 'story-narrow' ? narrow : wide;
}

function More({ total, shown }: { readonly total: number; readonly shown: number }) {
  const t = useT();
  return total > shown ? (
    <li className="sl-story-more u-fs-2 u-faint">{t('story.moreN', { n: total - shown })}</li>
  ) : null;
}

const Desired = memo(function Desired() {
  const t = useT();
  const part = useTrace(storyDesired);
  const most = useMost(3, 1);
  return (
    <Box box="desired" selection={{ kind: 'part', part: 'podConfig' }}>
      {part.total === 0 ? (
        <p className="sl-story-none u-fs-2 u-faint">{t('story.noPods')}</p>
      ) : (
        <ul>
          {part.pods.slice(0, most).map((p) => (
            <li key={p.uid}>
              <Selectable selection={{ kind: 'pod', uid: p.uid }} className="sl-link sl-code" title={p.pod}>
                {p.pod}
              </Selectable>
            </li>
          ))}
          <More total={part.total} shown={most} />
        </ul>
      )}
      {part.errors > 0 && <p className="sl-bad">✕ {t('graph.errorsN', { n: part.errors })}</p>}
    </Box>
  );
});

const Inputs = memo(function Inputs() {
  const t = useT();
  const part = useTrace(storyInputs);
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  const last = useTrace((_, c) => {
    const all = CHANNELS.map((key) => ({ key, at: recent.channel(key, c.time) })).filter((x) => x.at !== null);
    const newest = all.sort((a, b) => (b.at?.seq ?? 0) - (a.at?.seq ?? 0))[0];
    return newest ? { channel: newest.key, label: newest.at?.label ?? '' } : null;
  });
  const most = useMost(3, 1);
  return (
    <Box
      box="inputs"
      selection={{ kind: 'channel', name: 'configCh' }}
      active={part.waiting.length > 0}
      dim={!part.exists}
    >
      {part.waiting.length > 0 ? (
        <ul>
          {part.waiting.slice(0, most).map((w) => (
            <li key={w.channel} className="sl-story-item">
              <Selectable
                selection={{ kind: 'record', seq: w.seq }}
                className="sl-link"
                also={() => runCommand('view.followItem', w.seq)}
              >
                <span className="sl-code">{w.channel}</span> {w.label}
              </Selectable>
              {w.count > 1 && <span className="sl-tabular">×{w.count}</span>}
            </li>
          ))}
          <More total={part.waiting.length} shown={most} />
        </ul>
      ) : (
        <>
          <p className="sl-story-none u-fs-2 u-faint">
            {t(!part.exists ? 'story.before' : observed ? 'story.unseen' : 'story.empty')}
          </p>
          {last && (
            <p className="sl-story-last u-fs-2 u-faint">
              {t('story.last', { what: '' })}
              <span className="sl-code">{last.channel}</span> {last.label}
            </p>
          )}
        </>
      )}
    </Box>
  );
});

const Choice = memo(function Choice() {
  const t = useT();
  const part = useTrace(storyChoice);
  return (
    <Box
      box="choice"
      selection={{ kind: 'part', part: 'loop' }}
      active={part.phase === 'handling'}
      dim={part.phase === 'off'}
    >
      <p>
        {part.phase === 'handling' && part.took !== ''
          ? t('story.took', { channel: part.took })
          : t(part.phase === 'off' ? 'graph.off' : part.phase === 'backoff' ? 'graph.backoff' : 'graph.waiting')}
      </p>
      {part.errors[0] && (
        <p className="sl-bad sl-clip u-clip" title={part.errors.join('\n')}>
          ✕ {part.errors[0]}
        </p>
      )}
      {part.ready > 1 && (
        <p className="sl-story-die u-row u-gap-6">
          <Die n={part.ready} /> {t('story.readyN', { n: part.ready })}
        </p>
      )}
      {part.iteration > 0 && (
        <p className="sl-story-none sl-tabular u-fs-2 u-faint">{t('graph.iteration', { n: part.iteration })}</p>
      )}
    </Box>
  );
});

const Handler = memo(function Handler() {
  const t = useT();
  const part = useTrace(storyHandler);
  const last = useTrace((_, c) => {
    const all = HANDLERS.map((name, i) => ({ name, at: recent.handler(i, c.time) })).filter((x) => x.at !== null);
    const newest = all.sort((a, b) => (b.at?.seq ?? 0) - (a.at?.seq ?? 0))[0];
    return newest ? { name: newest.name, label: newest.at?.label ?? '' } : null;
  });
  return (
    <Box box="handler" selection={{ kind: 'part', part: 'loop' }} active={part.name !== ''}>
      {part.name !== '' ? (
        <p>
          <span className="sl-code">{part.name}</span> {part.args}
        </p>
      ) : last ? (
        <p className="sl-story-last u-fs-2 u-faint">
          {t('story.last', { what: '' })}
          <span className="sl-code">{last.name}</span> {last.label}
        </p>
      ) : (
        <p className="sl-story-none u-fs-2 u-faint">{t('story.none')}</p>
      )}
    </Box>
  );
});

const Workers = memo(function Workers() {
  const t = useT();
  const part = useTrace(storyWorkers);
  const most = useMost(3, 2);
  return (
    <Box
      box="workers"
      selection={part.rows[0] ? { kind: 'pod', uid: part.rows[0].uid } : { kind: 'part', part: 'loop' }}
      active={part.rows.some((w) => w.working)}
      dim={part.total === 0}
    >
      {part.total === 0 ? (
        <p className="sl-story-none u-fs-2 u-faint">{t('story.noPods')}</p>
      ) : (
        <ul>
          {part.rows.slice(0, most).map((w) => (
            <li
              key={w.uid}
              className="sl-story-pod u-line u-gap-8"
              data-working={w.working || undefined}
              data-testid={`lane-${w.pod}`}
            >
              <Selectable selection={{ kind: 'pod', uid: w.uid }} className="sl-link sl-code u-nowrap" title={w.pod}>
                {w.pod}
              </Selectable>
              <span className="sl-phase u-fs-1 u-dim" data-phase={w.phase}>
                {w.phase}
              </span>
              <span className="sl-story-does u-ellipsis u-fs-2 u-dim">
                {w.error !== '' && !w.working
                  ? `✕ ${t('story.failed')}`
                  : w.waits
                    ? `◔ ${t('story.waitsNews')}`
                    : w.working
                      ? `▸ ${w.fn}${w.step > 0 ? ` · ${t('story.step', { n: w.step, of: w.steps })}` : ''}`
                      : t('story.idle')}
              </span>
            </li>
          ))}
          <More total={part.total} shown={most} />
        </ul>
      )}
    </Box>
  );
});

const OnNode = memo(function OnNode() {
  const t = useT();
  const part = useTrace(storyNode);
  const most = useMost(4, 1);
  return (
    <Box
      box="node"
      selection={{ kind: 'part', part: 'cri' }}
      active={part.rows.some((p) => p.call !== '')}
      dim={part.total === 0}
    >
      {part.total === 0 ? (
        <p className="sl-story-none u-fs-2 u-faint">{t('story.noNode')}</p>
      ) : (
        <ul className="sl-story-boxes">
          {part.rows.slice(0, most).map((p) => (
            <li key={p.uid} className="sl-story-box u-row u-gap-8 u-round" data-busy={p.call !== '' || undefined}>
              <span className="sl-story-podname sl-clip u-clip u-fs-2 u-dim" title={p.pod}>
                {p.call === '' ? p.pod : <span className="sl-code sl-message-text">▸ {p.call}</span>}
              </span>
              {p.containers.map((c) => (
                <Fragment key={c.id}>
                  <Selectable
                    selection={{ kind: 'container', id: c.id }}
                    className="sl-story-container u-inline-flex u-center u-relative u-z-1"
                  >
                    <ContainerShape state={c.state} exitCode={c.exitCode} />
                    <span>{c.name}</span> <span className="sl-visually-hidden">{t(`state.${c.state}`)} </span>
                    {c.restarts > 0 && <span className="sl-restarts u-fs-1 u-tabular">×{c.restarts}</span>}
                  </Selectable>
                  <Slot at="lane.container" props={{ uid: p.uid, name: c.name, wide: false }} />
                </Fragment>
              ))}
              <Slot at="lane.absent" props={{ uid: p.uid, shown: p.containers.map(({ name }) => name), wide: false }} />
            </li>
          ))}
          <More total={part.total} shown={most} />
        </ul>
      )}
    </Box>
  );
});

const PLEG = memo(function PLEG() {
  const t = useT();
  const part = useTrace(storyPLEG);
  const most = useMost(2, 1);
  return (
    <Box box="pleg" selection={{ kind: 'part', part: 'pleg' }} dim={part.relists === 0}>
      {part.rows.length === 0 ? (
        <p className="sl-story-none u-fs-2 u-faint">{t(part.relists === 0 ? 'story.before' : 'story.same')}</p>
      ) : (
        <ul>
          {part.rows.slice(0, most).map((r) => (
            <li key={r.seq}>
              <Selectable
                selection={{ kind: 'record', seq: r.seq }}
                className="sl-link sl-story-change"
                title={`${r.what}: ${r.old} → ${r.new}`}
              >
                <span className="sl-code sl-clip u-clip">{r.what}</span>
                <span>
                  → <b>{r.new}</b>
                </span>
              </Selectable>
            </li>
          ))}
        </ul>
      )}
      {part.relists > 0 && (
        <p className="sl-story-none sl-tabular u-fs-2 u-faint">
          {t(part.relists === 1 ? 'story.relistOne' : 'story.relists', {
            n: part.relists,
            t: t('time.s', { n: seconds(part.last, 1) }),
          })}
        </p>
      )}
    </Box>
  );
});

const Status = memo(function Status() {
  const t = useT();
  const part = useTrace(storyStatus);
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  const most = useMost(3, 1);
  return (
    <Box box="status" selection={{ kind: 'part', part: 'status' }} dim={part.rows.length === 0}>
      {part.rows.length === 0 ? (
        <p className="sl-story-none u-fs-2 u-faint">{t('story.noStatus')}</p>
      ) : (
        <ul>
          {part.rows.slice(0, most).map((r) => (
            <li key={r.uid} className="sl-story-pod u-line u-gap-8">
              <Selectable selection={{ kind: 'pod', uid: r.uid }} className="sl-link sl-code u-nowrap" title={r.pod}>
                {r.pod}
              </Selectable>
              <span className="sl-phase u-fs-1 u-dim" data-phase={r.phase}>
                {r.phase}
              </span>
            </li>
          ))}
          <More total={part.rows.length} shown={most} />
        </ul>
      )}
      {!part.api && !observed && <p className="sl-story-none sl-story-api u-fs-2 u-faint">{t('story.noApi')}</p>}
    </Box>
  );
});

const BOXES: Readonly<Record<string, () => ReactNode>> = {
  desired: () => <Desired />,
  inputs: () => <Inputs />,
  choice: () => <Choice />,
  handler: () => <Handler />,
  workers: () => <Workers />,
  node: () => <OnNode />,
  pleg: () => <PLEG />,
  status: () => <Status />,
};

/** A box of the Story, by its id. */
export function StoryNode({ id }: NodeProps) {
  return BOXES[id.replace('story-', '')]?.() ?? null;
}
