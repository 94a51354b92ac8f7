import { type Incident, Incidents, incidentSentence, utcClock, wrongOf } from '@syncloop/core/debug/incidents';
import type { TraceRecord } from '@syncloop/core/trace';

/** The time between two looks, ms. */
const LOOK_MILLIS = 1000;

/** `waiting`: seen at one look, and said at the next if it is still there, as its cause may come with more lines. */
type Phase = 'waiting' | 'open' | 'over';

/**
 * Says in a sentence when something goes wrong on the kubelet that is watched, and when it is over. Troubles that were
 * over before anybody watched are left out, and so is what turns out to follow from another incident within a moment.
 */
export class LiveIncidents {
  private readonly incidents = new Incidents();
  private readonly clock;
  private readonly known = new Map<string, { phase: Phase; incident: Incident }>();
  private changed = false;
  private looked = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    epochMicros: number,
    private readonly say: (sentence: string) => void,
  ) {
    this.clock = utcClock(epochMicros);
  }

  take(record: TraceRecord): void {
    this.incidents.take(record);
    this.changed = true;
  }

  /** Looks every second until it is stopped. */
  follow(): void {
    this.timer = setInterval(() => this.look(), LOOK_MILLIS);
    this.timer.unref();
  }
  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Says what is new since the last look. */
  look(): void {
    if (!this.changed && ![...this.known.values()].some(({ phase }) => phase === 'waiting')) return;
    this.changed = false;
    const wrong = wrongOf(this.incidents.list());
    for (const incident of wrong) this.lookAt(incident);
    const here = new Set(wrong.map(({ id }) => id));
    for (const [id, { phase, incident }] of this.known) {
      if (here.has(id)) continue;
      if (phase === 'open') this.tell('no incident of its own', incident);
      this.known.delete(id);
    }
    this.looked = true;
  }

  private lookAt(incident: Incident): void {
    const { id, end } = incident;
    const before = this.known.get(id)?.phase ?? null;
    const isOver = end !== null;
    let phase: Phase;
    if (before === null) phase = isOver && !this.looked ? 'over' : 'waiting';
    else if (before === 'over') phase = isOver ? 'over' : 'waiting';
    else phase = isOver ? 'over' : 'open';
    this.known.set(id, { phase, incident });
    if (before === 'waiting') this.tell(isOver ? 'incident, over' : 'incident', incident);
    else if (before === 'open' && isOver) this.tell('over', incident);
  }

  private tell(word: string, incident: Incident): void {
    this.say(`${word}: ${incidentSentence(incident, this.clock, { live: true }).en}`);
  }
}
