/** The events and conditions that the API server has of a node, as lines that the observer reads. */
import { writeFile } from 'node:fs/promises';
import { isNodeConditionWell } from '@syncloop/core/trace';
import { SetupError } from '../base/errors.js';

const PAGE = 500;
/** Most events of pods that are looked through: an API server keeps those of an hour. */
const MOST_EVENTS = 20_000;
/** Most lines that are kept of a node. */
const MOST_LINES = 5000;

interface EventJson {
  readonly involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly source?: { readonly host?: string; readonly component?: string };
  readonly reportingInstance?: string;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string };
  readonly [field: string]: unknown;
}
interface ConditionJson {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
}
interface EventList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly EventJson[];
}

/** Asks again while the server is busy; throws a SetupError. */
type Ask = (path: string) => Promise<string>;

/** Events of a cluster: those of pods are asked for once, for however many nodes. */
export class ClusterEvents {
  private ofPods: Promise<EventList & { readonly cut: boolean }> | null = null;

  constructor(private readonly ask: Ask) {}

  /**
   * The events about a node, by whomever; and about its pods, by it or by others. `cut`: there were too many to look at
   * all. Throws a SetupError.
   */
  async of(
    node: string,
    pods: ReadonlySet<string>,
  ): Promise<{ readonly events: readonly EventJson[]; readonly cut: boolean }> {
    const own = await this.list(`involvedObject.kind=Node,involvedObject.name=${node}`);
    this.ofPods ??= this.list('involvedObject.kind=Pod');
    const { items = [], cut } = await this.ofPods;
    const isOfNode = ({ involvedObject, source, reportingInstance }: EventJson) =>
      source?.host === node ||
      reportingInstance === node ||
      pods.has(`${involvedObject?.namespace}/${involvedObject?.name}`);
    return { events: [...(own.items ?? []), ...items.filter(isOfNode)], cut: cut || own.cut };
  }

  private async list(fieldSelector: string): Promise<EventList & { readonly cut: boolean }> {
    const items: EventJson[] = [];
    for (let next = ''; ; ) {
      const query = new URLSearchParams({ fieldSelector, limit: String(PAGE), ...(next !== '' && { continue: next }) });
      const page = parsed(await this.ask(`/api/v1/events?${query}`));
      items.push(...(page.items ?? []));
      next = page.metadata?.continue ?? '';
      if (next === '' || items.length >= MOST_EVENTS) return { items, cut: next !== '' };
    }
  }
}

/**
 * Writes events and conditions since a time, each at its own, into a file. A condition that is as it should be says
 * something only if it became so since then; one that is not so says it from then on. Resolves with the number of
 * lines.
 */
export async function writeApiLines(
  file: string,
  sinceMillis: number,
  events: readonly EventJson[],
  conditions: readonly ConditionJson[],
): Promise<number> {
  const lines: { readonly at: number; readonly [field: string]: unknown }[] = [];
  for (const event of events) {
    const { firstTimestamp, lastTimestamp, eventTime, series } = event;
    // An event that came again has the times of its first and its last one.
    const times = [firstTimestamp ?? eventTime, series?.lastObservedTime ?? lastTimestamp ?? eventTime];
    for (const at of new Set(times.map((time) => Date.parse(time ?? ''))))
      if (at >= sinceMillis) lines.push({ at, apiEvent: event });
  }
  for (const condition of conditions) {
    const changed = Date.parse(condition.lastTransitionTime ?? '');
    if (Number.isNaN(changed) || (isNodeConditionWell(condition) && changed < sinceMillis)) continue;
    lines.push({ at: Math.max(changed, sinceMillis), apiCondition: condition });
  }
  lines.sort((a, b) => a.at - b.at);
  const kept = lines.slice(-MOST_LINES);
  if (kept.length > 0) await writeFile(file, kept.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  return kept.length;
}

function parsed(text: string): EventList {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Array.isArray((value as EventList).items ?? [])) return value;
  } catch {
    // It is reported below.
  }
  throw new SetupError(`the API server answers with something else than a list of events: ${text.slice(0, 100)}`);
}
