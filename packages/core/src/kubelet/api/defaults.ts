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
    if (v.image) v.image.pullPolicy ??= defaultPullPolicy(v.image.reference ?? '');
  }
  const all = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const c of all) setContainerDefaults(c, spec);
}

function setContainerDefaults(c: Container, spec: PodSpec): void {
  c.imagePullPolicy ??= defaultPullPolicy(c.image ?? '');
  c.terminationMessagePath ||= '/dev/termination-log';
  c.terminationMessagePolicy ??= 'File';
  c.resources ??= {};
  for (const [name, limit] of Object.entries(c.resources.limits ?? {})) {
    c.resources.requests ??= {};
    c.resources.requests[name] ??= limit;
  }
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
