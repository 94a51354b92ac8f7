import { metadata } from './metadata.js';
import { object, type SchemaNode, word } from './node.js';
import { spec } from './spec.js';
import { status } from './status.js';

/** A pod as the kubelet here takes it. upstream: the v1 Pod of staging/src/k8s.io/api/core/v1/types.go */
export const podSchema: SchemaNode = object(
  {
    apiVersion: word(['v1'], 'Version of the API: v1 for pods.', 'API 版本：Pod 是 v1。'),
    kind: word(['Pod'], 'Kind of the object: the manifest folder takes pods only.', '对象的类型：清单目录只接受 Pod。'),
    metadata,
    spec,
    status,
  },
  'A pod: containers that run together on one node, sharing network and volumes.',
  '一个 Pod：一起运行在一个节点上、共享网络和卷的容器。',
  { required: ['apiVersion', 'kind', 'metadata', 'spec'] },
);

/** The child of a node under a key; through lists, whose items it looks into, and with any key of a map. */
export function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  const inner = itemOf(node);
  if (inner.properties && Object.hasOwn(inner.properties, key)) return inner.properties[key];
  return inner.values;
}

/** What the items of a list are; the node itself where it is none. */
export function itemOf(node: SchemaNode): SchemaNode {
  return node.items ? itemOf(node.items) : node;
}

/** The field at a path, as `['spec', 'containers', 'livenessProbe']`; indices of lists may be left out. Undefined where there is none. */
export function schemaAt(path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = podSchema;
  for (const key of path) {
    if (!node) return undefined;
    if (/^\d+$/.test(key) && node.items) node = node.items;
    else node = childOf(node, key);
  }
  return node;
}
