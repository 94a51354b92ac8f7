/**
 * The page in a real headless Chromium: its first load with a slowed processor, 110 pods at full activity, a recording
 * of 1,000,000 records, and the memory of a long live session. Needs the build, and chromium. Everything is drawn by
 * software here: with a graphics processor frames are cheaper.
 */
import { chromium } from '../scripts/system.mjs';
import { bareGraph } from './web/bare.mjs';
import { EVERYTHING, liveGraph } from './web/live.mjs';
import { firstLoad } from './web/load.mjs';
import { longRecording } from './web/recording.mjs';
import { DIST, startStage } from './web/stage.mjs';
import { liveStream } from './web/stream.mjs';

/**
 * `parts`: which of them; `dist`: another build; `loads`: how many the part `load` measures; `speed`: of the part
 * `everything` only the cases at this speed.
 */
export async function run({
  parts = ['load', 'graph', 'everything', 'bare', 'recording', 'stream'],
  dist = DIST,
  records,
  millis,
  loads,
  speed,
} = {}) {
  const executablePath = chromium();
  if (!executablePath) return { skipped: 'there is no chromium' };
  const measure = {
    load: (stage) => firstLoad(stage, dist, loads),
    graph: (stage) => liveGraph(stage),
    everything: (stage) =>
      liveGraph(stage, {
        modes: speed ? EVERYTHING.filter((one) => one.speed.mode === speed) : EVERYTHING,
        level: 'everything',
      }),
    recording: (stage) => longRecording(stage, { records }),
    bare: () => bareGraph(executablePath),
    stream: (stage) => liveStream(stage, { dist, millis }),
  };
  const results = {};
  for (const part of parts) {
    // A browser each, so that none has the memory of the one before.
    const stage = await startStage(executablePath, dist);
    try {
      results[part] = await measure[part](stage);
    } finally {
      await stage.close();
    }
  }
  return results;
}
