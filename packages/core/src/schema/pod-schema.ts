import { pod } from '../api/objects/pod.js';
import { containerWords } from './container.js';
import { metadataWords } from './metadata.js';
import { Describer, type SchemaNode, type TypeWords, words } from './node.js';
import { probesWords } from './probes.js';
import { securityWords } from './security.js';
import { specWords } from './spec.js';
import { statusWords } from './status.js';
import { volumesWords } from './volumes.js';

/** The words of all types that a pod is made of. */
export const podWords: readonly TypeWords[] = [
  words(pod, {
    apiVersion: ['Version of the API: v1 for pods.', 'API 版本：Pod 是 v1。'],
    kind: ['Kind of the object: the manifest folder takes pods only.', '对象的类型：清单目录只接受 Pod。'],
    metadata: ['What the pod is called and what tools know about it.', 'Pod 叫什么，以及各种工具关于它的说明。'],
    spec: ['What is to run, and how.', '要运行什么，怎样运行。'],
    status: [
      'The status of the pod. The kubelet writes it; in a manifest it is ignored.',
      'Pod 的实际情况。由 kubelet 写入；写在清单里会被忽略。',
    ],
  }),
  ...metadataWords,
  ...specWords,
  ...containerWords,
  ...probesWords,
  ...securityWords,
  ...volumesWords,
  ...statusWords,
];

/** A pod as the kubelet here takes it: its declaration with words. upstream: core/v1 Pod */
export const podSchema: SchemaNode = new Describer(podWords).node(pod, [
  'A pod: containers that run together on one node, sharing network and volumes.',
  '一个 Pod：一起运行在一个节点上、共享网络和卷的容器。',
]);
/** The child of a node under a key; through lists, whose items it looks into, and with any key of a map. */
export function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  const inner = itemOf(node);
  if (inner.properties && Object.hasOwn(inner.properties, key)) return inner.properties[key];
  return inner.values;
}

/** Returns the schema of a list's items; the node itself if it is not a list. */
export function itemOf(node: SchemaNode): SchemaNode {
  return node.items ? itemOf(node.items) : node;
}

/**
 * The field at a path, as `['spec', 'containers', 'livenessProbe']`; indices of lists may be left out. Undefined if
 * there is none.
 */
export function schemaAt(path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = podSchema;
  for (const key of path) {
    if (!node) return undefined;
    if (/^\d+$/.test(key) && node.items) node = node.items;
    else node = childOf(node, key);
  }
  return node;
}
