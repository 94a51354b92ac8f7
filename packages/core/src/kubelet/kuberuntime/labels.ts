import type { Container, ContainerPort, LifecycleHandler, Pod } from '../../api/types.js';
import { hashContainer } from '../container/helpers.js';
import type { RunContainerOptions } from '../container/types.js';
import { goJSON } from '../util/go-format.js';

/** Labels by which the kubelet finds its own again. upstream: pkg/kubelet/types/labels.go */
export const kubernetesPodNameLabel = 'io.kubernetes.pod.name';
export const kubernetesPodNamespaceLabel = 'io.kubernetes.pod.namespace';
export const kubernetesPodUIDLabel = 'io.kubernetes.pod.uid';
export const kubernetesContainerNameLabel = 'io.kubernetes.container.name';

const podDeletionGracePeriodLabel = 'io.kubernetes.pod.deletionGracePeriod';
const podTerminationGracePeriodLabel = 'io.kubernetes.pod.terminationGracePeriod';
const containerHashLabel = 'io.kubernetes.container.hash';
const containerRestartCountLabel = 'io.kubernetes.container.restartCount';
const containerTerminationMessagePathLabel = 'io.kubernetes.container.terminationMessagePath';
const containerTerminationMessagePolicyLabel = 'io.kubernetes.container.terminationMessagePolicy';
const containerPreStopHandlerLabel = 'io.kubernetes.container.preStopHandler';
const containerPortsLabel = 'io.kubernetes.container.ports';

type Labels = { readonly [key: string]: string };

/** Labels of a sandbox: the pod's, then the kubelet's own over them (fidelity 2:S-08). upstream: newPodLabels */
export function newPodLabels(pod: Pod): Record<string, string> {
  const { name, namespace, uid } = pod.metadata;
  return {
    ...pod.metadata.labels,
    [kubernetesPodNameLabel]: name,
    [kubernetesPodNamespaceLabel]: namespace,
    [kubernetesPodUIDLabel]: uid,
  };
}

/** upstream: newPodAnnotations */
export const newPodAnnotations = (pod: Pod): Record<string, string> | undefined => pod.metadata.annotations;

/** Returns exactly four labels, none of the pod's (fidelity 2:G-03). upstream: newContainerLabels */
export function newContainerLabels(container: Container, pod: Pod): Record<string, string> {
  const { name, namespace, uid } = pod.metadata;
  return {
    [kubernetesPodNameLabel]: name,
    [kubernetesPodNamespaceLabel]: namespace,
    [kubernetesPodUIDLabel]: uid,
    [kubernetesContainerNameLabel]: container.name,
  };
}

/**
 * Returns the annotations from which a later kubelet knows a container without its spec (fidelity 2:G-04).
 * upstream: newContainerAnnotations
 */
export function newContainerAnnotations(
  container: Container,
  pod: Pod,
  restartCount: number,
  opts: RunContainerOptions,
): Record<string, string> {
  const a: Record<string, string> = {};
  for (const { name, value } of opts.annotations) a[name] = value;
  a[containerHashLabel] = hashContainer(container).toString(16);
  a[containerRestartCountLabel] = String(restartCount);
  a[containerTerminationMessagePathLabel] = container.terminationMessagePath ?? '';
  a[containerTerminationMessagePolicyLabel] = container.terminationMessagePolicy ?? '';
  const { deletionGracePeriodSeconds } = pod.metadata;
  const { terminationGracePeriodSeconds } = pod.spec;
  if (typeof deletionGracePeriodSeconds === 'number')
    a[podDeletionGracePeriodLabel] = String(deletionGracePeriodSeconds);
  if (typeof terminationGracePeriodSeconds === 'number')
    a[podTerminationGracePeriodLabel] = String(terminationGracePeriodSeconds);
  const preStop = container.lifecycle?.preStop;
  if (preStop) a[containerPreStopHandlerLabel] = goJSON(orderHandler(preStop));
  if (container.ports && container.ports.length > 0) a[containerPortsLabel] = goJSON(container.ports.map(orderPort));
  return a;
}

/** Fields in the order of the API's Go types, as Go writes them. */
function orderHandler(h: LifecycleHandler): object {
  const http = h.httpGet && {
    path: h.httpGet.path,
    port: h.httpGet.port,
    host: h.httpGet.host,
    scheme: h.httpGet.scheme,
    httpHeaders: h.httpGet.httpHeaders?.map(({ name, value }) => ({ name, value })),
  };
  const tcp = h.tcpSocket && { port: h.tcpSocket.port, host: h.tcpSocket.host };
  return { exec: h.exec && { command: h.exec.command }, httpGet: http, tcpSocket: tcp, sleep: h.sleep };
}
const orderPort = (p: ContainerPort): object => ({
  name: p.name || undefined,
  hostPort: p.hostPort || undefined,
  containerPort: p.containerPort,
  protocol: p.protocol || undefined,
  hostIP: p.hostIP || undefined,
});

/** upstream: labeledContainerInfo */
export interface LabeledContainerInfo {
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUID: string;
  readonly containerName: string;
}

/** A missing label reads as ''. upstream: getContainerInfoFromLabels */
export function getContainerInfoFromLabels(labels: Labels | undefined): LabeledContainerInfo {
  const get = (label: string) => labels?.[label] ?? '';
  return {
    podName: get(kubernetesPodNameLabel),
    podNamespace: get(kubernetesPodNamespaceLabel),
    podUID: get(kubernetesPodUIDLabel),
    containerName: get(kubernetesContainerNameLabel),
  };
}

/** upstream: annotatedContainerInfo */
export interface AnnotatedContainerInfo {
  readonly hash: number;
  readonly restartCount: number;
  readonly podDeletionGracePeriod: number | null;
  readonly podTerminationGracePeriod: number | null;
  readonly terminationMessagePath: string;
  readonly terminationMessagePolicy: string;
  readonly preStopHandler: LifecycleHandler | null;
  readonly containerPorts: ContainerPort[];
}

/** The hash alone: lists need no more, and they come every second. 0 if it is missing or not readable. */
export function getContainerHash(annotations: Labels | undefined): number {
  const text = annotations?.[containerHashLabel] ?? '';
  return /^[0-9a-fA-F]+$/.test(text) ? Number.parseInt(text, 16) : 0;
}

/** A missing or unreadable label has its zero value. upstream: getContainerInfoFromAnnotations */
export function getContainerInfoFromAnnotations(annotations: Labels | undefined): AnnotatedContainerInfo {
  const get = (label: string) => annotations?.[label] ?? '';
  const number = (label: string) => {
    const text = get(label);
    return /^[+-]?\d+$/.test(text) ? Number.parseInt(text, 10) : null;
  };
  return {
    hash: getContainerHash(annotations),
    restartCount: number(containerRestartCountLabel) ?? 0,
    podDeletionGracePeriod: number(podDeletionGracePeriodLabel),
    podTerminationGracePeriod: number(podTerminationGracePeriodLabel),
    terminationMessagePath: get(containerTerminationMessagePathLabel),
    terminationMessagePolicy: get(containerTerminationMessagePolicyLabel),
    preStopHandler: parse<LifecycleHandler>(get(containerPreStopHandlerLabel)),
    containerPorts: parse<ContainerPort[]>(get(containerPortsLabel)) ?? [],
  };
}

function parse<T>(text: string): T | null {
  if (text === '') return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
