import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../run/use-trace.js';
import { Selectable } from '../../selection/selectable.js';
import { EndName } from './end-name.js';
import { PartBox } from './part.js';
import { podConfigPart, sourcePart } from './parts/parts.js';

const podsText = (t: ReturnType<typeof useT>, n: number) => (n === 1 ? t('graph.pods1') : t('graph.podsN', { n }));

/** Pods by name, as far as there is room. */
interface PodsProps {
  readonly pods: readonly { readonly uid: string; readonly pod: string }[];
  readonly total: number;
  readonly most: number;
}

function Pods({ pods, total, most }: PodsProps) {
  const t = useT();
  const shown = total > most ? pods.slice(0, most - 1) : pods;
  return (
    <ul className="sl-podlist u-relative u-no-pointer u-fs-1 u-z-1">
      {shown.map((p) => (
        <li className="u-clip u-dim" key={p.uid}>
          <Selectable selection={{ kind: 'pod', uid: p.uid }} className="sl-link u-ellipsis u-mono" title={p.pod}>
            <EndName name={p.pod} />
          </Selectable>
        </li>
      ))}
      {shown.length < total && <li className="u-clip u-dim">{t('story.moreN', { n: total - shown.length })}</li>}
    </ul>
  );
}

/** A source of desired pods: a manifest folder, a URL or an API server. */
export const SourceNode = memo(function SourceNode({ id }: NodeProps) {
  const t = useT();
  const name = id as 'file' | 'http' | 'api';
  const part = useTrace((s) => sourcePart(s, name));
  const first = part.errors[0];
  return (
    <PartBox
      kind="desired"
      dim={!part.configured}
      className="sl-source"
      head={
        <Selectable selection={{ kind: 'part', part: `source-${name}` }} className="sl-part-title">
          {name}
        </Selectable>
      }
    >
      <p className="sl-small">
        {part.unknown
          ? t('graph.unknown')
          : !part.configured
            ? t('graph.notConfigured')
            : !part.seen
              ? t('graph.waitingForList')
              : podsText(t, part.pods)}
      </p>
      {first ? (
        <p className="sl-small sl-bad" title={part.errors.join('\n')}>
          ✕ {part.errors.length > 1 ? t('graph.errorsN', { n: part.errors.length }) : first}
        </p>
      ) : (
        name === 'file' && <Pods pods={part.names} total={part.pods} most={3} />
      )}
    </PartBox>
  );
});

export const PodConfigNode = memo(function PodConfigNode() {
  const t = useT();
  const part = useTrace(podConfigPart);
  return (
    <PartBox
      kind="desired"
      className="sl-podconfig u-column u-gap-2"
      head={
        <Selectable selection={{ kind: 'part', part: 'podConfig' }} className="sl-part-title">
          PodConfig
        </Selectable>
      }
    >
      <p className="sl-small">{t('graph.merges')}</p>
      <Pods pods={part.names} total={part.pods} most={7} />
      <p className="sl-small sl-push">{part.any && podsText(t, part.pods)}</p>
      <p className="sl-small">
        {part.any &&
          (part.ready
            ? `✓ ${t('graph.sourcesReady')}`
            : !part.unknown && t('graph.sourcesWait', { names: part.waitsFor.join(', ') }))}
      </p>
    </PartBox>
  );
});
