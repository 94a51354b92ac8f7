import type { LiveStatus } from '@syncloop/core/twin/live';

/** How often it is said how a twin stands where nothing has changed, ms. */
const AGAIN_MILLIS = 60_000;

/** Says how a twin stands when that has changed, and now and then otherwise. Each difference is a line of its own. */
export class LiveLines {
  private state = '';
  private told = 0;
  private at = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lang: 'en' | 'zh',
    private readonly say: (line: string) => void,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  take({ state, kept, differences, agreesSince, text }: LiveStatus): void {
    const news = differences - this.told;
    this.told = differences;
    for (const { difference, epochMicros } of news > 0 ? kept.slice(-news) : [])
      this.say(`${new Date(epochMicros / 1000).toISOString()} ${difference.text[this.lang]}`);
    const now = `${state} ${agreesSince !== null}`;
    const due = this.monotonic() - this.at >= AGAIN_MILLIS;
    if (now === this.state && news === 0 && !due) return;
    this.state = now;
    this.at = this.monotonic();
    this.say(text[this.lang]);
  }
}
