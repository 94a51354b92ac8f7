import type { LiveStatus } from '@syncloop/observe/twin/live';

/** The time after which the state of a twin is printed again if nothing has changed, ms. */
const AGAIN_MILLIS = 60_000;

/** Prints the state of a twin when it has changed, and now and then otherwise. Each difference is a line of its own. */
export class LiveLines {
  private state = '';
  private printed = 0;
  private at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lang: 'en' | 'zh',
    private readonly say: (line: string) => void,
    private readonly options: { readonly againMillis?: number; readonly monotonic?: () => number } = {},
  ) {}

  take({ state, kept, differences, agreesSince, text }: LiveStatus): void {
    const news = differences - this.printed;
    this.printed = differences;
    for (const { difference, epochMicros } of news > 0 ? kept.slice(-news) : [])
      this.say(`${new Date(epochMicros / 1000).toISOString()} ${difference.text[this.lang]}`);
    const now = `${state} ${agreesSince !== null}`;
    const { againMillis = AGAIN_MILLIS, monotonic = () => performance.now() } = this.options;
    const at = monotonic();
    const due = at - this.at >= againMillis;
    if (now === this.state && news === 0 && !due) return;
    this.state = now;
    this.at = at;
    this.say(text[this.lang]);
  }
}
