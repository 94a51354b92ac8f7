import { useSession } from './session-store.js';

/** Questions to the session whose answers change while it reads or goes on. */
export interface Asking {
  /** The values on which the answers depend; '' if there is no session. */
  readonly version: () => string;
  /** False while no part shows the answers. */
  readonly wanted: () => boolean;
  /** Asks, and keeps the answers. `mine` is false once another session is here: then nothing is kept. */
  readonly ask: (mine: () => boolean) => Promise<void>;
  /** The time until the next questions, ms. */
  readonly pause: () => number;
}

/** Asks again whenever the answers may have changed, one after the other. */
export class AskAgain {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = '';

  constructor(private readonly asking: Asking) {}

  /** Another session is here: nothing of it has been asked. */
  forget(): void {
    this.asked = '';
  }

  soon(): void {
    const { version, pause } = this.asking;
    if (this.timer !== undefined || version() === this.asked) return;
    this.timer = setTimeout(async () => {
      this.timer = undefined;
      await this.now();
      this.soon();
    }, pause());
  }

  private async now(): Promise<void> {
    const { version, wanted, ask } = this.asking;
    const { info, phase } = useSession.getState();
    const now = version();
    if (!info || phase !== 'ready' || !wanted() || now === this.asked) return;
    this.asked = now;
    await ask(() => useSession.getState().info?.id === info.id);
  }
}
