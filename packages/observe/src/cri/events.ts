/** The items of a runtime's GetContainerEvents stream: `{at, event}` on each line. */
import { own } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import type { Evidence, EvidenceReader } from '../evidence/index.js';
import { JsonLines } from './json-lines.js';

export class ContainerEventsReader implements EvidenceReader {
  private readonly lines = new JsonLines();
  private last: number | null = null;

  /** `startedAt`: milliseconds since 1970 at which the file's times begin. */
  constructor(
    private readonly source: string,
    private readonly options: { readonly startedAt?: number } = {},
  ) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.lines.push(bytes).map((line) => this.evidence(line));
  }
  end(): Evidence[] {
    return this.lines.end().map((line) => this.evidence(line));
  }

  private evidence({ value, place, problem, bytes }: ReturnType<JsonLines['push']>[number]): Evidence {
    const { source } = this;
    const [at, event] = [own(value, 'at'), own(value, 'event')];
    const isEvent = typeof at === 'number' && Number.isFinite(at) && typeof event === 'object' && event !== null;
    if (problem !== null || !isEvent)
      return { kind: 'gap', source, at: this.last, place, why: problem ?? 'A line is not a container event.', bytes };
    this.last = Math.round(((this.options.startedAt ?? 0) + at) * 1000);
    return { kind: 'container-event', source, at: this.last, place, event: event as Json };
  }
}
