/**
 * A short film of a range of steps: the session makes them, each is drawn as a picture, and the browser records those.
 */
import type { GoTarget } from '@syncloop/core/debug';
import { download } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { useTimeline } from '../timeline/timeline-store.js';
import { type CastOptions, endingOf, frameSize, mostFrames, videoType } from './cast-plan.js';
import { drawGraph, imageOf, PictureError } from './draw.js';
import { usePicture } from './picture-store.js';
import { pictureName } from './pictures.js';

export type { CastOptions } from './cast-plan.js';

/** The time after which a still frame is drawn again, so that it is recorded (ms). */
const REFRESH = 100;
const BITS_PER_SECOND = 4_000_000;

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const frame = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
const run = () => useSession.getState().run;
const here = (): GoTarget => (run().seq > 0 ? { seq: run().seq } : { step: 0 });

/** Waits until the page shows the session's last report. */
async function shown(): Promise<void> {
  while (!session.idle) await pause(4);
  await frame();
  await frame();
}

class Film {
  readonly canvas = document.createElement('canvas');
  private recorder: MediaRecorder | null = null;
  private readonly pieces: Blob[] = [];

  constructor(private readonly type: string) {}

  /**
   * Adds the page's present picture for this long. While it is made nothing is recorded: drawing may take longer than a
   * frame lasts.
   */
  async add(millis: number): Promise<void> {
    const picture = drawGraph({ ...usePicture.getState(), fixed: true });
    const image = await imageOf(picture);
    const { canvas } = this;
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new PictureError(t('picture.cannot'));
    if (!this.recorder) Object.assign(canvas, frameSize(picture.width, picture.height));
    const draw = () => context.drawImage(image, 0, 0, canvas.width, canvas.height);
    draw();
    if (this.recorder) this.recorder.resume();
    else this.begin();
    for (let left = millis; left > 0; left -= REFRESH) {
      await pause(Math.min(REFRESH, left));
      draw();
    }
    this.recorder?.pause();
  }

  private begin(): void {
    const recorder = new MediaRecorder(this.canvas.captureStream(1000 / REFRESH), {
      mimeType: this.type,
      videoBitsPerSecond: BITS_PER_SECOND,
    });
    recorder.addEventListener('dataavailable', (event) => this.pieces.push(event.data));
    recorder.start();
    this.recorder = recorder;
  }

  async end(): Promise<Blob> {
    const { recorder } = this;
    if (recorder && recorder.state !== 'inactive') {
      const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
      recorder.stop();
      await stopped;
      for (const track of recorder.stream.getTracks()) track.stop();
    }
    return new Blob(this.pieces, { type: this.type });
  }
}

/** The start, the largest number of steps, and the record at which the screencast ends at the latest. */
function planOf({ range, steps, each }: CastOptions): { from: GoTarget; steps: number; to: number } {
  const most = mostFrames(each) - 1;
  const marked = useTimeline.getState().range;
  if (range === 'timeline' && marked) {
    const [from, to] = [Math.min(marked.from, marked.to), Math.max(marked.from, marked.to)];
    return { from: { seq: from }, steps: most, to };
  }
  const n = Math.min(steps, most);
  const to = Number.POSITIVE_INFINITY;
  return range === 'last'
    ? { from: { step: Math.max(0, run().steps - n) }, steps: Math.min(n, run().steps), to }
    : { from: here(), steps: n, to };
}

/**
 * Films a range and saves the file. Afterwards, and when it was cancelled or failed, the session is at its old
 * position.
 */
export async function record(options: CastOptions): Promise<void> {
  const type = typeof MediaRecorder === 'undefined' ? null : videoType((x) => MediaRecorder.isTypeSupported(x));
  if (type === null) throw new Error(t('picture.noVideo'));
  const plan = planOf(options);
  const before = here();
  const name = pictureName(endingOf(type));
  const film = new Film(type);
  let cancelled = false;
  let frames = 0;
  const film1 = async (report: (done: number) => void) => {
    await session.command({ do: 'go', to: plan.from });
    for (let step = 0; ; step++) {
      await shown();
      await film.add(options.each);
      frames++;
      report((step + 1) / (plan.steps + 1));
      if (cancelled || step >= plan.steps || run().seq >= plan.to) return;
      const { steps } = run();
      await session.command({ do: 'step', unit: 'decision' });
      await shown();
      // The run is over, or asks something.
      if (run().steps === steps) return;
    }
  };
  let blob: Blob;
  try {
    await withProgress('progress.film', film1, {
      cancel: () => {
        cancelled = true;
      },
    });
  } finally {
    blob = await film.end();
    await session.command({ do: 'go', to: before });
  }
  if (cancelled) {
    notify(t('picture.filmCancelled'));
    return;
  }
  download(name, blob);
  notify(t('picture.filmed', { frames, seconds: Math.round((frames * options.each) / 100) / 10 }));
}
