/** Set-up of all unit tests: each file is told how much of a processor it took, its imports among it. */
import { afterAll } from 'vitest';

const start = process.cpuUsage();
// biome-ignore lint/correctness/noEmptyPattern: Vitest wants its fixtures taken apart here.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(start);
  file.meta.cpuSeconds = (user + system) / 1e6;
});
