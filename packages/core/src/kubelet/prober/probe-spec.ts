import type { Container, Probe } from '../../api/types.js';
import type { ProbeType } from '../../trace/index.js';

/** `Liveness`, as logs and events name it. upstream: pkg/kubelet/prober/prober_manager.go probeType.String */
export const probeTypeName = (t: ProbeType): string => `${t[0]?.toUpperCase()}${t.slice(1)}`;

/** The container's probe of that type. */
export function probeOf(c: Container, type: ProbeType): Probe | undefined {
  return type === 'liveness' ? c.livenessProbe : type === 'readiness' ? c.readinessProbe : c.startupProbe;
}

/**
 * A probe's numbers, seconds and counts, with the API server's defaults, which a static pod may lack.
 * upstream: SetDefaults_Probe
 */
export const probeDefaults = (p: Probe) => ({
  periodSeconds: p.periodSeconds || 10,
  timeoutSeconds: p.timeoutSeconds || 1,
  successThreshold: p.successThreshold || 1,
  failureThreshold: p.failureThreshold || 3,
  initialDelaySeconds: p.initialDelaySeconds ?? 0,
});
