/**
 * Returns the milliseconds of a processor that this process spends on `work`, which a busy machine does not increase:
 * for limits on the cost of hostile input.
 */
export function cpuMillis(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
