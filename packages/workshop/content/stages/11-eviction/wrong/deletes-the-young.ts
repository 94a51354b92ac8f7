// An image that was just pulled for a container is deleted.
// fails: examples too-young
export function freeSpace(images: readonly NodeImage[], goal: FreeSpaceGoal): string[] {
  const { bytesToFree, minAgeSeconds, maxAgeSeconds } = goal;
  const candidates = images.filter((image) => !image.inUse && !image.pinned).sort(byLastUse);
  const outlived = (image: NodeImage) => maxAgeSeconds !== null && unusedFor(image) > maxAgeSeconds;
  const chosen = candidates.filter(outlived);
  let freed = chosen.reduce((sum, image) => sum + image.size, 0);
  for (const image of candidates) {
    if (bytesToFree !== null && freed >= bytesToFree) break;
    if (outlived(image)) continue;
    chosen.push(image);
    freed += image.size;
  }
  return chosen.map((image) => image.id);
}

/** An image that was never used has been unused for ever. */
const unusedFor = (image: NodeImage): number => image.unusedForSeconds ?? Infinity;

/** The least recently used first; of those that were used at the same time, or never, the older one. */
function byLastUse(a: NodeImage, b: NodeImage): number {
  if (unusedFor(a) !== unusedFor(b)) return unusedFor(a) > unusedFor(b) ? -1 : 1;
  return b.ageSeconds - a.ageSeconds;
}

type Compare = (a: EvictablePod, b: EvictablePod) => number;

export function rankPods(pods: readonly EvictablePod[], resource: 'memory' | 'ephemeral-storage' | 'pids'): string[] {
  const compares = resource === 'pids' ? [byPriority, byUsage] : [byExceeding, byPriority, byOvershoot];
  const compare: Compare = (a, b) => {
    for (const by of compares) {
      const order = by(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
  return [...pods].sort(compare).map((pod) => pod.name);
}

/** Compares figures, the greater one first; a pod without figures comes before all that have some. */
const byFigure =
  (figure: (usage: number, request: number) => number): Compare =>
  (a, b) => {
    if (a.usage === null || b.usage === null) return Number(b.usage === null) - Number(a.usage === null);
    return figure(b.usage, b.request) - figure(a.usage, a.request);
  };

const byPriority: Compare = (a, b) => a.priority - b.priority;
const byExceeding = byFigure((usage, request) => Number(usage > request));
const byOvershoot = byFigure((usage, request) => usage - request);
const byUsage = byFigure((usage) => usage);
