/**
 * Milliseconds of a processor that this process spends on `work`, which a busy machine does not make more: for limits
 * on what hostile input may cost.
 */
export function cpuMillis(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
