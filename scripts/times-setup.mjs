/** Set-up of all unit tests: reports for each file how much processor time it took, including its imports. */
import { afterAll } from 'vitest';

const start = process.cpuUsage();
// biome-ignore lint/correctness/noEmptyPattern: Vitest wants its fixtures taken apart here.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(start);
  file.meta.cpuSeconds = (user + system) / 1e6;
});
