import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { HANDLERS } from '../../run/loop.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { itemLabel, shortPod } from '../../units/text.js';
import { useFollowing } from './following.js';
import type { Spot } from './moves/moves-spots.js';

function placeName(spot: Spot, t: ReturnType<typeof useT>, podOf: (uid: string) => string): string {
  switch (spot.at) {
    case 'box':
      return NAMES[spot.id] ?? spot.id;
    case 'channel':
      return spot.key;
    case 'handler':
      return HANDLERS[spot.index] ?? '';
    case 'lane':
      return t('place.lane', { column: t(`place.${spot.column}`), pod: podOf(spot.uid) });
  }
}
/** Boxes by the kubelet's own names. */
const NAMES: Readonly<Record<string, string>> = {
  podConfig: 'PodConfig',
  pleg: 'PLEG',
  cri: 'CRI',
  status: 'statusManager',
  runtimeUp: 'updateRuntimeUp',
  apiServer: 'API server',
  volumes: 'volumeManager',
  eviction: 'evictionManager',
  cgroups: 'containerManager',
  devices: 'deviceManager',
  lease: 'nodeLeaseController',
  stats: 'resourceAnalyzer',
  oom: 'oomWatcher',
};

/** Shows what is followed, and where it is now. */
export function FollowChip() {
  const t = useT();
  const { root, last, spot, places } = useFollowing();
  const podOf = useTrace((s) => {
    const names: Record<string, string> = {};
    if (spot?.at === 'lane') names[spot.uid] = shortPod(s.pods[spot.uid]?.pod ?? spot.uid);
    return names;
  });
  const record = root > 0 ? trace.records.get(root) : undefined;
  if (!record) return null;
  const label =
    record.kind === 'send' || record.kind === 'receive' ? itemLabel(record.item) : `${record.kind} #${record.seq}`;
  return (
    <div className="sl-follow-chip u-row u-wrap u-round-6 u-panel u-shadow" role="status" data-testid="follow-chip">
      <span className="sl-follow-what u-weight-600">{label}</span>
      <button
        type="button"
        className="sl-selectable sl-link"
        onClick={() => runCommand('view.select', { kind: 'record', seq: last })}
      >
        {spot ? t('follow.at', { place: placeName(spot, t, (uid) => podOf[uid] ?? '') }) : `#${last}`}
      </button>
      <span className="sl-small sl-tabular">{t('follow.places', { n: places })}</span>
      <CommandButton id="view.followStop" className="sl-quiet">
        {t('follow.stop')}
      </CommandButton>
    </div>
  );
}
