import { formatBytes, formatMilli, quantityMilliValue, quantityValue } from '../../base/index.js';
import { aggregateContainers } from '../util/resources.js';
import type { Container, LifecycleHandler, Pod, PodSpec, Probe, PullPolicy } from './types.js';

/** Fills in what a manifest may leave out, in place. upstream: pkg/apis/core/v1/defaults.go SetObjectDefaults_Pod */
export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.restartPolicy ??= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= 'default-scheduler';
  spec.enableServiceLinks ??= true;
  for (const v of spec.volumes ?? []) {
    if (Object.keys(v).length === 1) v.emptyDir = {};
    if (v.hostPath) v.hostPath.type ??= '';
    for (const files of [v.configMap, v.secret, v.downwardAPI, v.projected]) if (files) files.defaultMode ??= 0o644;
    const sources = v.projected?.sources ?? [];
    for (const files of [v.downwardAPI, ...sources.map((source) => source.downwardAPI)])
      for (const { fieldRef } of files?.items ?? []) if (fieldRef) fieldRef.apiVersion ??= 'v1';
    for (const { serviceAccountToken: token } of sources) if (token) token.expirationSeconds ??= 3600;
    if (v.image) v.image.pullPolicy ??= defaultPullPolicy(v.image.reference ?? '');
  }
  const lasting = [...(spec.initContainers ?? []), ...spec.containers];
  for (const c of lasting) setResourceDefaults(c);
  for (const c of [...lasting, ...(spec.ephemeralContainers ?? [])]) setContainerDefaults(c, spec);
  setPodLevelRequests(spec);
}

/** What is limited is requested. upstream: SetDefaults_Pod */
function setResourceDefaults(c: Container): void {
  for (const [name, limit] of Object.entries(c.resources?.limits ?? {})) {
    c.resources ??= {};
    c.resources.requests ??= {};
    c.resources.requests[name] ??= limit;
  }
}

/** A pod with limits of its own requests what its containers do, or its limits. upstream: defaultPodRequests */
function setPodLevelRequests(spec: PodSpec): void {
  const limits = spec.resources?.limits;
  if (!spec.resources || !limits || Object.keys(limits).length === 0) return;
  const requests = { ...spec.resources.requests };
  const cpu = aggregateContainers(spec, 'requests', 'cpu');
  const memory = aggregateContainers(spec, 'requests', 'memory');
  if (cpu !== null) requests.cpu ??= formatMilli(quantityMilliValue(cpu));
  if (memory !== null) requests.memory ??= formatBytes(quantityValue(memory));
  for (const [name, limit] of Object.entries(limits))
    if (/^(cpu|memory|hugepages-.+)$/.test(name)) requests[name] ??= limit;
  spec.resources.requests = requests;
}

function setContainerDefaults(c: Container, spec: PodSpec): void {
  c.imagePullPolicy ??= defaultPullPolicy(c.image ?? '');
  c.terminationMessagePath ||= '/dev/termination-log';
  c.terminationMessagePolicy ??= 'File';
  c.resources ??= {};
  for (const port of c.ports ?? []) {
    port.protocol ??= 'TCP';
    // On the host's network a port is the host's own.
    if (spec.hostNetwork) port.hostPort ||= port.containerPort;
  }
  for (const e of c.env ?? []) if (e.valueFrom?.fieldRef) e.valueFrom.fieldRef.apiVersion ??= 'v1';
  for (const p of [c.livenessProbe, c.readinessProbe, c.startupProbe]) if (p) setProbeDefaults(p);
  for (const h of [c.lifecycle?.postStart, c.lifecycle?.preStop]) if (h) setHandlerDefaults(h);
}

function setProbeDefaults(p: Probe): void {
  p.timeoutSeconds ||= 1;
  p.periodSeconds ||= 10;
  p.successThreshold ||= 1;
  p.failureThreshold ||= 3;
  if (p.grpc) p.grpc.service ??= '';
  setHandlerDefaults(p);
}

function setHandlerDefaults(h: Pick<LifecycleHandler, 'httpGet'>): void {
  if (!h.httpGet) return;
  h.httpGet.path ||= '/';
  h.httpGet.scheme ??= 'HTTP';
}

/** Always for `:latest` and for no tag at all. upstream: defaults.go SetDefaults_Container */
export function defaultPullPolicy(image: string): PullPolicy {
  const [name] = image.split('@') as [string];
  const tag = /:([\w][\w.-]{0,127})$/.exec(name)?.[1];
  if (image.includes('@')) return tag === 'latest' ? 'Always' : 'IfNotPresent';
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
