import type { Micros, RecordOf } from '@syncloop/core/trace';
import { objectOf, objectsOf } from '../base/json.js';
import { Spans } from './spans.js';

/** Measures how long containers that a restart of the kubelet found running were not ready, though no probe failed. */
export class HarmOfRestarts {
  readonly unready = new Spans();
  /** Containers, as `uid name`, that ran when the kubelet last started, and those whose last probe has failed. */
  private readonly ranBefore = new Set<string>();
  private readonly blamed = new Set<string>();

  onStart(running: Iterable<{ readonly uid: string; readonly name: string }>): void {
    for (const { uid, name } of running) this.ranBefore.add(`${uid} ${name}`);
  }

  onProbe({ uid, container, outcome }: RecordOf<'probe'>): void {
    if (outcome === 'success') this.blamed.delete(`${uid} ${container}`);
    else this.blamed.add(`${uid} ${container}`);
  }

  onStatus(r: RecordOf<'status'>): void {
    for (const status of objectsOf(objectOf(r.status).containerStatuses)) {
      const key = `${r.uid} ${status.name}`;
      const waits = objectOf(status.state).running !== undefined && status.ready !== true && !this.blamed.has(key);
      if (waits && this.ranBefore.has(key)) this.unready.begin(key, r.time);
      else this.unready.end(key, r.time);
    }
  }

  onExit(uid: string, container: string, time: Micros): void {
    this.ranBefore.delete(`${uid} ${container}`);
    this.unready.end(`${uid} ${container}`, time);
  }
}
