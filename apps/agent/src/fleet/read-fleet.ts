/** Reads the nodes of a fleet one after the other. */
import { redactRecord } from '@syncloop/core/redaction';
import { type FleetNode, fleetNode, Sightings, unreadNode } from '@syncloop/observe/fleet';
import { SetupError } from '../base/errors.js';
import type { OnProgress } from '../limits/progress.js';
import type { ReadBudget } from '../limits/read-budget.js';
import { readVerdict, type VerdictOptions } from '../observe/read-verdict.js';
import type { FoundNode } from './fleet-nodes.js';

export interface ReadFleetOptions {
  readonly budget: ReadBudget;
  readonly progress?: OnProgress | undefined;
  readonly zoneMinutes?: number;
  readonly revealSecrets?: boolean;
  readonly window?: VerdictOptions['window'];
  readonly by: string;
}

/**
 * Reads each node, keeps what a fleet's verdict needs, and drops the rest. A node that cannot be read, or that the
 * budget leaves out, has a `problem`.
 */
export async function readFleet(
  nodes: readonly FoundNode[],
  { budget, progress, zoneMinutes, revealSecrets, window, by }: ReadFleetOptions,
): Promise<FleetNode[]> {
  const out: FleetNode[] = [];
  for (const [i, node] of nodes.entries()) {
    if (budget.met) {
      out.push(unreadNode(node.name, node.source, 'command-limit', `--${budget.met}-limit`));
      continue;
    }
    const doing = `reading ${node.name}, node ${i + 1} of ${nodes.length}`;
    progress?.({ doing });
    const sightings = new Sightings();
    try {
      const { files } = await node.open(zoneMinutes === undefined ? {} : { zoneMinutes });
      const input = await readVerdict(files, {
        budget,
        by,
        progress: progress && ((at) => progress({ ...at, doing })),
        ...(!revealSecrets && { redact: redactRecord }),
        ...(window && { window }),
        each: (record, epochMicros) => sightings.take(record, epochMicros),
      });
      out.push(fleetNode(node, input, sightings));
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      out.push(unreadNode(node.name, node.source, 'error', error.message));
    }
  }
  return out;
}
