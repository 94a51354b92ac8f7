/** A pod as `kubectl describe pod` lays it out. upstream: kubectl pkg/describe describePod */

import type { Pod, Toleration } from '../api/types.js';
import type { Micros } from '../trace/index.js';
import { describeContainers } from './describe-containers.js';
import { describeVolumes } from './describe-volumes.js';
import { humanDuration, rfc1123, since } from './duration.js';
import type { FoldedEvent } from './events.js';
import { describeTabs, tabbed } from './tabwriter.js';

/** Longest annotation that is on one line with its key. */
const longestAnnotation = 140;

/**
 * Describes a pod. `now`: ms since 1970; `events` in the order in which they happened last; `time`: the run's time now.
 */
export function describePod(
  pod: Pod,
  events: readonly FoldedEvent[],
  { now, time }: { readonly now: number; readonly time: Micros },
): string {
  const { metadata, spec, status } = pod;
  const out: string[] = [];
  const field = (name: string, value: string | number) => out.push(`${name}:\t${value}`);
  field('Name', metadata.name);
  field('Namespace', metadata.namespace);
  if (spec.priority !== undefined) field('Priority', spec.priority);
  if (spec.priorityClassName) field('Priority Class Name', spec.priorityClassName);
  if (spec.runtimeClassName) field('Runtime Class Name', spec.runtimeClassName);
  if (spec.serviceAccountName) field('Service Account', spec.serviceAccountName);
  field('Node', spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ''}` : '<none>');
  if (status.startTime) field('Start Time', rfc1123(status.startTime));
  labels(out, 'Labels', metadata.labels);
  annotations(out, metadata.annotations);
  if (metadata.deletionTimestamp && status.phase !== 'Failed' && status.phase !== 'Succeeded') {
    field('Status', `Terminating (lasts ${since(now, metadata.deletionTimestamp)})`);
    field('Termination Grace Period', `${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else field('Status', status.phase ?? '');
  if (status.reason) field('Reason', status.reason);
  if (status.message) field('Message', status.message);
  const seccomp = spec.securityContext?.seccompProfile;
  if (seccomp) {
    field('SeccompProfile', seccomp.type);
    if (seccomp.type === 'Localhost') field('LocalhostProfile', seccomp.localhostProfile ?? '');
  }
  field('IP', status.podIP ?? '');
  // An API server makes the list of the one address that an old kubelet reports.
  const ips = status.podIPs ?? (status.podIP ? [{ ip: status.podIP }] : []);
  if (ips.length === 0) field('IPs', '<none>');
  else out.push('IPs:', ...ips.map(({ ip }) => `  IP:\t${ip}`));
  const controller = metadata.ownerReferences?.find((o) => o.controller);
  if (controller) field('Controlled By', `${controller.kind}/${controller.name}`);
  if (status.nominatedNodeName) field('NominatedNodeName', status.nominatedNodeName);
  if (spec.initContainers?.length)
    describeContainers(out, 'Init Containers', spec.initContainers, status.initContainerStatuses ?? [], pod);
  describeContainers(out, 'Containers', spec.containers, status.containerStatuses ?? [], pod);
  if (spec.ephemeralContainers?.length)
    describeContainers(
      out,
      'Ephemeral Containers',
      spec.ephemeralContainers,
      status.ephemeralContainerStatuses ?? [],
      pod,
    );
  const conditions = status.conditions ?? [];
  if (spec.readinessGates?.length) {
    out.push('Readiness Gates:', '  Type\tStatus');
    for (const { conditionType } of spec.readinessGates)
      out.push(`  ${conditionType} \t${conditions.find((c) => c.type === conditionType)?.status ?? '<none>'} `);
  }
  if (conditions.length > 0) {
    out.push('Conditions:', '  Type\tStatus');
    for (const c of conditions) out.push(`  ${c.type} \t${c.status} `);
  }
  describeVolumes(out, spec.volumes ?? []);
  field('QoS Class', status.qosClass ?? '');
  labels(out, 'Node-Selectors', spec.nodeSelector);
  tolerations(out, spec.tolerations ?? []);
  describeEvents(out, events, time);
  return `${tabbed(out.join('\n'), describeTabs)}\n`;
}

const sortedKeys = (map: Readonly<Record<string, string>>): string[] => Object.keys(map).sort();

/** upstream: printLabelsMultiline */
export function labels(out: string[], title: string, map: Readonly<Record<string, string>> | undefined): void {
  const keys = sortedKeys(map ?? {});
  if (keys.length === 0) out.push(`${title}:\t<none>`);
  for (const [i, key] of keys.entries()) out.push(`${i === 0 ? `${title}:` : ''}\t${key}=${map?.[key]}`);
}

/** upstream: printAnnotationsMultiline */
export function annotations(out: string[], map: Readonly<Record<string, string>> | undefined): void {
  const keys = sortedKeys(map ?? {});
  if (keys.length === 0) out.push('Annotations:\t<none>');
  for (const [i, key] of keys.entries()) {
    const head = i === 0 ? 'Annotations:' : '';
    const value = (map?.[key] ?? '').replace(/\n$/, '');
    if (value.length + key.length + 2 <= longestAnnotation && !value.includes('\n')) {
      out.push(`${head}\t${key}: ${value}`);
      continue;
    }
    out.push(`${head}\t${key}:`);
    for (const line of value.split('\n'))
      out.push(`\t  ${line.length > longestAnnotation - 2 ? `${line.slice(0, longestAnnotation - 2)}...` : line}`);
  }
}

/** upstream: printPodTolerationsMultiline */
function tolerations(out: string[], list: readonly Toleration[]): void {
  if (list.length === 0) out.push('Tolerations:\t<none>');
  for (const [i, { key = '', value, effect, operator, tolerationSeconds }] of list.entries()) {
    let text = key;
    if (value) text += `=${value}`;
    if (effect) text += `:${effect}`;
    if (operator === 'Exists' && !value) text += key || effect ? ' op=Exists' : 'op=Exists';
    if (tolerationSeconds !== undefined) text += ` for ${tolerationSeconds}s`;
    out.push(`${i === 0 ? 'Tolerations:' : ''}\t${text}`);
  }
}

/** upstream: DescribeEvents */
export function describeEvents(out: string[], events: readonly FoldedEvent[], time: Micros): void {
  if (events.length === 0) {
    out.push('Events:\t<none>');
    return;
  }
  out.push('Events:', '  Type\tReason\tAge\tFrom\tMessage', '  ----\t------\t----\t----\t-------');
  for (const e of events)
    out.push(`  ${e.type}\t${e.reason}\t${eventAge(e, time)}\tkubelet\t${e.message.trim().replace(/\n/g, '\n    ')}`);
}

/** Says the age of an event: `12s`, or `3s (x4 over 2m)` for one that happened more than once. */
export function eventAge(e: FoldedEvent, time: Micros): string {
  const age = (at: Micros) => humanDuration((time - at) / 1000);
  return e.count > 1 ? `${age(e.last)} (x${e.count} over ${age(e.first)})` : age(e.first);
}
