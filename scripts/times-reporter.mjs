/** Vitest's reporter that books how long each file took; see times.mjs. */
import { bookTimes } from './times.mjs';

export default class TimesReporter {
  onTestRunEnd(modules) {
    const files = {};
    for (const module of modules) {
      const { cpuSeconds } = module.meta();
      // Without it the file did not run to its end.
      if (cpuSeconds === undefined) continue;
      const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
      const seconds = (prepareDuration + setupDuration + collectDuration + duration) / 1000;
      files[module.relativeModuleId] = { seconds: rounded(seconds), cpuSeconds: rounded(cpuSeconds) };
    }
    bookTimes({ files });
  }
}
const rounded = (seconds) => Math.round(seconds * 1000) / 1000;
