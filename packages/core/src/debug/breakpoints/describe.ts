import type { Lang } from '../../trace/index.js';
import { kinds } from './kinds.js';
import type { BreakpointSpec } from './spec.js';

/** One line about a breakpoint: what it waits for and under which conditions. Names of Kubernetes stay as they are. */
export function describeBreakpoint(spec: BreakpointSpec, lang: Lang): string {
  const zh = lang === 'zh';
  const where = kinds[spec.on][zh ? 'zh' : 'en'] as (spec: BreakpointSpec) => string;
  const parts = [where(spec)];
  const { pod, condition, hitCount, once, log } = spec;
  if (pod !== undefined) parts.push(`pod ${pod}`);
  if (condition !== undefined) parts.push(zh ? `当 ${condition}` : `if ${condition}`);
  if (hitCount !== undefined) {
    const n = 'at' in hitCount ? hitCount.at : hitCount.every;
    if (zh) parts.push('at' in hitCount ? `第 ${n} 次` : `每 ${n} 次`);
    else parts.push('at' in hitCount ? `hit ${n} only` : `every ${n} hits`);
  }
  if (once) parts.push(zh ? '仅一次' : 'once');
  if (log !== undefined) parts.push(zh ? `记录 "${log}"` : `logs "${log}"`);
  if (spec.enabled === false) parts.push(zh ? '已停用' : 'disabled');
  return parts.join(' · ');
}
