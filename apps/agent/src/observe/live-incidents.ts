import { type Incident, Incidents, incidentSentence, utcClock, wrongOf } from '@syncloop/core/debug/incidents';
import type { TraceRecord } from '@syncloop/core/trace';

/** The time between two looks, ms. */
const LOOK_MILLIS = 1000;

/**
 * Says in a sentence when something goes wrong on the kubelet that is watched, and when it is over. Troubles that were
 * over before anybody watched are left out, and so is what turns out to follow from another incident within a moment.
 */
export class LiveIncidents {
  private readonly incidents = new Incidents();
  private readonly clock;
  /** Incidents of the last look that have not been said: one of the next look is said if it was already there. */
  private seen = new Set<string>();
  private readonly said = new Map<string, Incident>();
  private readonly over = new Set<string>();
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

  /** Says what is new. What was only just seen waits for the next look: its cause may come with the next lines. */
  look(): void {
    if (!this.changed && this.seen.size === 0) return;
    this.changed = false;
    const wrong = wrongOf(this.incidents.list());
    const here = new Map(wrong.map((incident) => [incident.id, incident]));
    const waiting = new Set<string>();
    for (const incident of wrong) {
      const { id, end } = incident;
      if (end !== null && !this.looked) this.over.add(id);
      if (this.over.has(id) && end !== null) continue;
      if (!this.said.has(id) && !this.seen.has(id)) {
        waiting.add(id);
        this.over.delete(id);
      } else if (end === null && (!this.said.has(id) || this.over.has(id))) {
        this.over.delete(id);
        this.said.set(id, incident);
        this.say(`incident: ${begun(incidentSentence(incident, this.clock).en)}`);
      } else if (end !== null) {
        this.over.add(id);
        const word = this.said.has(id) ? 'over' : 'incident, over';
        this.said.set(id, incident);
        this.say(`${word}: ${incidentSentence(incident, this.clock).en}`);
      }
    }
    for (const [id, incident] of this.said)
      if (!here.has(id) && !this.over.has(id)) {
        this.over.add(id);
        this.say(`no incident of its own: ${begun(incidentSentence(incident, this.clock).en)}`);
      }
    this.seen = waiting;
    this.looked = true;
  }
}

/** The log has no end yet. */
const begun = (sentence: string): string => sentence.replace(/ It was still so at the end\.$/, '');
