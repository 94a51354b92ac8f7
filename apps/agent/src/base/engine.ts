import v8 from 'node:v8';

/**
 * Flags of V8 that make it optimize a function later than by default. A kubelet, a scenario or a command runs much code
 * a few hundred times: half of its processor time would go into optimizing it. `docs/performance` has the figures.
 * Empty for versions of Node in which nobody measured them.
 */
export function engineFlags(node = process.versions.node): string[] {
  const major = Number(node.split('.')[0]);
  if (major < 22) return ['--interrupt-budget=1000000'];
  return major <= 24 ? ['--invocation-count-for-turbofan=15000', '--invocation-count-for-maglev=1500'] : [];
}

/** Makes this process optimize later. An entry point calls it before it loads anything else. */
export function optimizeLater(): void {
  for (const flag of engineFlags()) v8.setFlagsFromString(flag);
}
