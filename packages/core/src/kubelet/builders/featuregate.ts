import type { Kernel } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { type FeatureConfig, validateFeatureGates, vanishingFeatures } from '../features.js';
import { Logger } from '../klog.js';

/** Throws if a gate is unknown or cannot be set to its value. upstream: featuregate (*featureGate).SetFromMap */
export function checkFeatureGates({ featureGates, eraFeatures }: FeatureConfig): void {
  const wrong = validateFeatureGates(featureGates, eraFeatures);
  if (wrong.length === 0) return;
  const list = wrong.length === 1 ? wrong[0] : `[${wrong.join(', ')}]`;
  throw new Error(`failed to set feature gates from initial flags-based config: ${list}`);
}

/**
 * Logs each gate that is set and that a later version will not have.
 * upstream: featuregate (*featureGate).SetFromMap
 */
export function warnOfVanishingFeatures(kernel: Kernel, { featureGates }: Pick<KubeletConfig, 'featureGates'>): void {
  const log = new Logger(kernel, 'feature_gate.go');
  for (const { name, value, stage } of vanishingFeatures(featureGates)) {
    const kind = stage === 'GA' ? 'GA' : 'deprecated';
    log.info(0, `Warning: setting ${kind} feature gate. It will be removed in a future release.`, {
      featureGate: name,
      value,
    });
  }
}
