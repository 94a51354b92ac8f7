import { objectMeta, ownerReference } from '../api/objects/meta.js';
import { type TypeWords, words } from './node.js';

export const metadataWords: readonly TypeWords[] = [
  words(
    ownerReference,
    {
      apiVersion: ['API version of the owner.', '所有者的 API 版本。'],
      kind: ['Kind of the owner, such as ReplicaSet.', '所有者的类型，例如 ReplicaSet。'],
      name: ['Name of the owner.', '所有者的名字。'],
      uid: ['UID of the owner.', '所有者的 UID。'],
      controller: [
        'Whether the owner is the controller that manages the pod.',
        '所有者是否就是管理这个 Pod 的控制器。',
      ],
      blockOwnerDeletion: [
        'Whether the owner can only be deleted in the foreground after this object.',
        '前台删除所有者时，是否必须先删除本对象。',
      ],
    },
    ['One owner of the pod.', 'Pod 的一个所有者。'],
  ),
  words(objectMeta, {
    name: [
      'Name of the pod. For a static pod the kubelet puts "-" and the node name behind it.',
      'Pod 的名字。对静态 Pod，kubelet 会在后面加上“-”和节点名。',
    ],
    namespace: ['Namespace of the pod; default if it is left out.', 'Pod 所在的命名空间；不写就是 default。'],
    labels: {
      is: ['Labels: short keys and values to select pods by.', '标签：用来选择 Pod 的短键值。'],
      each: ['Value of the label.', '标签的值。'],
    },
    annotations: {
      is: [
        'Annotations: notes for tools. The kubelet adds its own ones beneath kubernetes.io/config.',
        '注解：给工具看的说明。kubelet 会加上自己的 kubernetes.io/config.* 注解。',
      ],
      each: ['Value of the annotation.', '注解的值。'],
    },
    uid: [
      'Identity of the pod. For a static pod the kubelet computes it as a hash of the manifest, the node and the file; a UID written here is taken as it is.',
      'Pod 的身份。对静态 Pod，kubelet 用清单内容、节点名和文件算出散列作为 UID；如果这里写了，就照用。',
    ],
    generateName: [
      'Prefix from which the API server makes a unique name. The kubelet does not.',
      'API server 用来生成唯一名字的前缀；kubelet 不会这样做。',
    ],
    creationTimestamp: ['When the API server stored the pod.', 'API server 保存这个 Pod 的时间。'],
    deletionTimestamp: [
      'Set while the pod is being deleted: when it must be gone.',
      'Pod 正在被删除时出现：到这个时间必须消失。',
    ],
    deletionGracePeriodSeconds: [
      'Seconds that the deletion gives the pod to end by itself.',
      '删除时留给 Pod 自行结束的秒数。',
    ],
    generation: ['Counts changes of the spec.', '对 spec 修改次数的计数。'],
    resourceVersion: ['Version of the object in the API server.', '对象在 API server 里的版本。'],
    ownerReferences: [
      'Objects that this pod belongs to, such as its ReplicaSet.',
      '这个 Pod 所属的对象，例如它的 ReplicaSet。',
    ],
    finalizers: {
      is: ['What must be done before the object may go.', '对象消失之前必须完成的事。'],
      each: ['Name of the finalizer.', 'finalizer 的名字。'],
    },
    managedFields: {
      is: ['Which tool set which field; written by the API server.', '哪个工具设置了哪个字段；由 API server 写入。'],
      each: ['One manager and its fields.', '一个管理者和它的字段。'],
    },
    selfLink: ['Former address of the object; not written any more.', '对象以前的地址，已不再写入。'],
  }),
];
