import { lease } from '../../api/objects/coordination.js';
import { configMap, endpoints, namespace, secret, service, serviceAccount } from '../../api/objects/core.js';
import { event, eventV1 } from '../../api/objects/event.js';
import { node } from '../../api/objects/node.js';
import { pod } from '../../api/objects/pod.js';
import { priorityClass } from '../../api/objects/priority-class.js';
import { resourceSlice } from '../../api/objects/resource-slice.js';
import { runtimeClass } from '../../api/objects/runtime-class.js';
import { csiDriver, csiNode } from '../../api/objects/storage.js';
import { isLabel, isLabel1035, isSubdomain } from '../registry/names.js';
import { allVerbs, type Resource } from '../registry/resource.js';
import type { ApiObject } from '../types.js';
import { certificateSigningRequests } from './certificates.js';
import {
  configMapStrategy,
  eventStrategy,
  leaseStrategy,
  namespaceFinalize,
  namespaceStrategy,
  nodeStrategy,
  priorityClassStrategy,
  runtimeClassStrategy,
  secretStrategy,
  serviceStrategy,
  statusOnly,
} from './core-strategies.js';
import { toCoreEvent, toEventsV1 } from './events-view.js';
import { jobs } from './job.js';
import { podEphemeralContainers, podResize, podStatus, podStrategy } from './pod.js';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.js';
import * as tables from './tables.js';

const core = { group: '', version: 'v1', verbs: allVerbs, nameRule: isSubdomain } as const;
const text = (at: (o: ApiObject) => unknown) => (o: ApiObject) => {
  const value = at(o);
  return value === undefined || value === null ? '' : String(value);
};
type Loose = Record<string, Record<string, unknown> | undefined>;
const of = (part: string, field: string) => text((o) => (o as unknown as Loose)[part]?.[field]);

export const pods: Resource = {
  ...core,
  resource: 'pods',
  singular: 'pod',
  kind: 'Pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  type: pod,
  strategy: podStrategy,
  subresources: {
    status: podStatus,
    resize: podResize,
    ephemeralcontainers: podEphemeralContainers,
    binding: { kind: 'Binding', verbs: ['create'] },
    eviction: { kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
    log: { verbs: ['get'] },
    exec: { kind: 'PodExecOptions', verbs: ['create', 'get'] },
    attach: { kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    portforward: { kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  },
  fields: {
    'spec.nodeName': of('spec', 'nodeName'),
    'spec.restartPolicy': of('spec', 'restartPolicy'),
    'spec.schedulerName': of('spec', 'schedulerName'),
    'spec.serviceAccountName': of('spec', 'serviceAccountName'),
    'spec.hostNetwork': (o) => String((o as unknown as Loose).spec?.hostNetwork ?? false),
    'status.phase': of('status', 'phase'),
    'status.podIP': of('status', 'podIP'),
    'status.podIPs': of('status', 'podIP'),
    'status.nominatedNodeName': of('status', 'nominatedNodeName'),
  },
  table: tables.podTable,
};
export const nodes: Resource = {
  ...core,
  resource: 'nodes',
  singular: 'node',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  type: node,
  strategy: nodeStrategy,
  subresources: {
    status: statusOnly,
    proxy: { kind: 'NodeProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
  },
  fields: { 'spec.unschedulable': (o) => String((o as unknown as Loose).spec?.unschedulable ?? false) },
  table: tables.nodeTable,
};
export const namespaces: Resource = {
  ...core,
  resource: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  nameRule: isLabel,
  type: namespace,
  strategy: namespaceStrategy,
  subresources: { status: statusOnly, finalize: namespaceFinalize },
  fields: { 'status.phase': of('status', 'phase'), name: text((o) => o.metadata.name) },
  table: tables.namespaceTable,
};
const namespaced = { ...core, namespaced: true } as const;
export const configMaps: Resource = {
  ...namespaced,
  resource: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  type: configMap,
  strategy: configMapStrategy,
  table: tables.configMapTable,
};
export const secrets: Resource = {
  ...namespaced,
  resource: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  type: secret,
  strategy: secretStrategy,
  fields: { type: text((o) => o.type) },
  table: tables.secretTable,
};
export const services: Resource = {
  ...namespaced,
  resource: 'services',
  singular: 'service',
  kind: 'Service',
  shortNames: ['svc'],
  categories: ['all'],
  nameRule: isLabel1035,
  type: service,
  strategy: serviceStrategy,
  subresources: { status: statusOnly },
  fields: { 'spec.clusterIP': of('spec', 'clusterIP'), 'spec.type': of('spec', 'type') },
  table: tables.serviceTable,
};
export const endpointsResource: Resource = {
  ...namespaced,
  resource: 'endpoints',
  singular: 'endpoints',
  kind: 'Endpoints',
  shortNames: ['ep'],
  type: endpoints,
  strategy: { createOnUpdate: true },
  table: tables.endpointsTable,
};
export const serviceAccounts: Resource = {
  ...namespaced,
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  type: serviceAccount,
  strategy: { returnsDeleted: true },
  subresources: { token: { kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] } },
  table: tables.serviceAccountTable,
};
const involved = (field: string) => of('involvedObject', field);
export const events: Resource = {
  ...namespaced,
  resource: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  type: event,
  strategy: eventStrategy,
  fields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: text((o) => o.reason),
    reportingComponent: text((o) => o.reportingComponent),
    source: text((o) => (o.source as { component?: string } | undefined)?.component || o.reportingComponent),
    type: text((o) => o.type),
  },
  table: tables.eventTable,
};
export const eventsV1: Resource = {
  ...events,
  group: 'events.k8s.io',
  type: eventV1,
  strategy: {},
  fields: Object.fromEntries(
    Object.entries(events.fields ?? {}).map(([k, f]) => [
      k.replace('involvedObject.', 'regarding.').replace('reportingComponent', 'reportingController'),
      (o: ApiObject) => f(toCoreEvent(o)),
    ]),
  ),
  table: { ...tables.eventTable, cells: (o, now) => tables.eventTable.cells(toCoreEvent(o), now) },
  view: { of: events, read: toEventsV1, write: toCoreEvent },
};
const named = { version: 'v1', verbs: allVerbs, nameRule: isSubdomain } as const;
export const leases: Resource = {
  ...named,
  group: 'coordination.k8s.io',
  resource: 'leases',
  singular: 'lease',
  kind: 'Lease',
  namespaced: true,
  type: lease,
  strategy: leaseStrategy,
  table: tables.leaseTable,
};
const cluster = { ...named, namespaced: false } as const;
export const runtimeClasses: Resource = {
  ...cluster,
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  singular: 'runtimeclass',
  kind: 'RuntimeClass',
  type: runtimeClass,
  strategy: runtimeClassStrategy,
  table: tables.runtimeClassTable,
};
export const csiNodes: Resource = {
  ...cluster,
  group: 'storage.k8s.io',
  resource: 'csinodes',
  singular: 'csinode',
  kind: 'CSINode',
  type: csiNode,
  strategy: { returnsDeleted: true },
  table: tables.csiNodeTable,
};
export const csiDrivers: Resource = {
  ...cluster,
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  singular: 'csidriver',
  kind: 'CSIDriver',
  type: csiDriver,
  strategy: { returnsDeleted: true },
};
export const resourceSlices: Resource = {
  ...cluster,
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  singular: 'resourceslice',
  kind: 'ResourceSlice',
  type: resourceSlice,
  strategy: { returnsDeleted: true },
  fields: { 'spec.nodeName': of('spec', 'nodeName'), 'spec.driver': of('spec', 'driver') },
};
export const priorityClasses: Resource = {
  ...cluster,
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  singular: 'priorityclass',
  kind: 'PriorityClass',
  shortNames: ['pc'],
  type: priorityClass,
  strategy: priorityClassStrategy,
  table: tables.priorityClassTable,
};

/** All that is stored, core first. */
export const resources: readonly Resource[] = [
  configMaps,
  endpointsResource,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  jobs,
  certificateSigningRequests,
  leases,
  eventsV1,
  runtimeClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  priorityClasses,
  csiDrivers,
  csiNodes,
  resourceSlices,
];
