/** The behaviour of images as texts. Apart from the reading, so that a page has them without the rest of the mock. */
import { formatBytes, formatDuration } from '../../base/index.js';
import type { ImageBehaviour } from '../../mock/index.js';

/** A behaviour as a scenario writes it. */
export function behaviourValue(b: ImageBehaviour | null): unknown {
  if (b === null) return 'missing';
  if (b.kind === 'serves') return { serves: [...b.ports], ...(b.status !== undefined && { status: b.status }) };
  if (b.kind === 'needs') return { needs: formatBytes(b.memory) };
  return b.kind === 'exits' ? { exits: b.code, after: formatDuration(b.after) } : b.kind;
}
/** A behaviour in few words. */
export function behaviourText(b: ImageBehaviour | null): string {
  if (b === null) return 'missing';
  if (b.kind === 'serves')
    return `serves ${b.ports.join(', ')}${b.status === undefined ? '' : `, answers HTTP with ${b.status}`}`;
  if (b.kind === 'needs') return `needs ${formatBytes(b.memory)} of memory`;
  return b.kind === 'exits' ? `exits with ${b.code} after ${formatDuration(b.after)}` : b.kind;
}
