import { type ClassRun, type ClassView, MAX_RUN, type PresenterMessage, type Sight } from '@syncloop/core/classroom';
import type { Position, RunSpec, RunUpTo, Speed } from '@syncloop/core/debug';
import { sameRun, upTo } from '../../../run/run-spec.js';

/** The page as a publisher uses it. */
export interface PublisherDeps {
  /** Resolves with the run up to the session's position; rejects if the session cannot be run again. */
  spec(): Promise<RunUpTo>;
  state(): { readonly running: boolean; readonly speed: Speed; readonly time: number };
  sight(): Sight;
  /** A run as a link's text. Rejects if it is too long for one. */
  encode(run: RunSpec): Promise<string>;
  send(message: PresenterMessage): void;
  after(millis: number, then: () => void): () => void;
  /** Called with how much of the run followers can see. */
  onVisibility(shown: RunVisibility): void;
}

/** `nothing`: a node, or a recording of one. `long`: the run has more interventions than a message can have. */
export type RunVisibility = 'run' | 'nothing' | 'long';

/** A view is published at most so often, ms. */
export const PUBLISH_MILLIS = 200;

/** Publishes the presenter's view whenever it has changed. */
export class Publisher {
  private run: { readonly spec: RunSpec; readonly message: ClassRun } | null = null;
  private last = '';
  private n: number;
  private timer: (() => void) | null = null;
  private busy = false;
  private again = false;
  private stopped = false;

  /** `first`: numbers count up from there, and must be beyond those of earlier presenters. */
  constructor(
    private readonly deps: PublisherDeps,
    first: number,
  ) {
    this.n = first;
  }

  /** Something has, or may have. */
  changed(): void {
    if (this.stopped) return;
    if (this.timer || this.busy) {
      this.again = true;
      return;
    }
    void this.publish();
  }

  /** Publishes everything once more: the listeners may have forgotten it. */
  anew(): void {
    this.last = '';
    this.run = null;
    this.changed();
  }

  stop(): void {
    this.stopped = true;
    this.timer?.();
    this.timer = null;
  }

  private async publish(): Promise<void> {
    this.busy = true;
    this.again = false;
    this.timer = this.deps.after(PUBLISH_MILLIS, () => {
      this.timer = null;
      if (this.again) this.changed();
    });
    try {
      const view = await this.view();
      const text = JSON.stringify(view);
      if (!this.stopped && text !== this.last) {
        this.last = text;
        this.deps.send({ type: 'view', view: { ...view, n: ++this.n } });
      }
    } finally {
      this.busy = false;
      if (this.again && !this.timer) this.changed();
    }
  }

  private async view(): Promise<Omit<ClassView, 'n'>> {
    const { deps } = this;
    let shown: RunVisibility = 'run';
    let at: Position = { step: 0, seq: 0 };
    let run = 0;
    try {
      const { to, clock: _, ...spec } = await deps.spec();
      at = to;
      // Going back in a run leaves it the same: its later interventions will be made there again.
      if (!this.run || !sameRun(upTo(this.run.spec, to), spec)) await this.begin(spec);
      if (this.run) run = this.run.message.n;
      else shown = 'long';
    } catch {
      shown = 'nothing';
    }
    deps.onVisibility(shown);
    const { running, speed, time } = deps.state();
    return { run, ...at, time, running: running && run > 0, speed, sight: deps.sight() };
  }

  private async begin(spec: RunSpec): Promise<void> {
    const moment = await this.deps.encode(spec).catch(() => '');
    if (moment === '' || moment.length > MAX_RUN) {
      this.run = null;
      return;
    }
    const message: ClassRun = { n: ++this.n, moment };
    this.run = { spec, message };
    if (!this.stopped) this.deps.send({ type: 'run', run: message });
  }
}
