import { objectFieldSelector, resourceFieldSelector } from '../api/objects/references.js';
import {
  configMapProjection,
  configMapVolumeSource,
  downwardAPIProjection,
  downwardAPIVolumeFile,
  downwardAPIVolumeSource,
  emptyDirVolumeSource,
  hostPathVolumeSource,
  imageVolumeSource,
  keyToPath,
  persistentVolumeClaimVolumeSource,
  projectedVolumeSource,
  secretProjection,
  secretVolumeSource,
  serviceAccountTokenProjection,
  volume,
  volumeProjection,
} from '../api/objects/volume.js';
import { type TypeWords, type Words, words } from './node.js';

const noPlugin: Words = [
  'A kind of volume for which this node has no plug-in: a pod that mounts it does not start.',
  '这个节点没有这种卷的插件：挂载它的 Pod 启动不了。',
];
const defaultMode: Words = [
  'Permissions of the files, as an octal number such as 0644.',
  '文件的权限，写成八进制数，例如 0644。',
];
const optional: Words = ['The pod may start without it.', '没有它 Pod 也可以启动。'];
const items: Words = ['Keys that become files; all of them if it is left out.', '变成文件的键；不写就是全部。'];
const mode: Words = ['Permissions of this file.', '这个文件的权限。'];

export const volumesWords: readonly TypeWords[] = [
  words(objectFieldSelector, {
    fieldPath: [
      "Path of the field, such as metadata.name or metadata.labels['app'].",
      "字段的路径，例如 metadata.name 或 metadata.labels['app']。",
    ],
    apiVersion: ['API version that the path is in.', '路径所属的 API 版本。'],
  }),
  words(resourceFieldSelector, {
    resource: ['The resource, such as limits.cpu or requests.memory.', '例如 limits.cpu 或 requests.memory。'],
    containerName: ['Container that it is about; needed in volumes.', '指哪个容器；在卷里必须写。'],
    divisor: ['Unit that the value is given in, such as 1m or 1Mi.', '数值使用的单位，例如 1m 或 1Mi。'],
  }),
  words(
    keyToPath,
    {
      key: ['Key to take.', '要取的键。'],
      path: ['File that it becomes, below the mount path.', '它变成的文件，在挂载路径之下。'],
      mode,
    },
    ['One key as a file.', '一个键变成一个文件。'],
  ),
  words(emptyDirVolumeSource, {
    medium: ['Memory for a tmpfs; kept on disk here all the same.', 'Memory 表示 tmpfs；这里一律放在磁盘上。'],
    sizeLimit: ['The most that it may hold; not enforced here.', '最多能放多少；这里不强制。'],
  }),
  words(hostPathVolumeSource, {
    path: ['Path on the node.', '节点上的路径。'],
    type: [
      'What must be there, checked before it is mounted; empty for no check.',
      '挂载前检查那里必须是什么；空表示不检查。',
    ],
  }),
  words(
    downwardAPIVolumeFile,
    {
      path: ['File, below the mount path.', '文件，在挂载路径之下。'],
      fieldRef: ['A field of the pod.', 'Pod 的一个字段。'],
      resourceFieldRef: ['A container’s request or limit.', '容器的一个 request 或 limit。'],
      mode,
    },
    ['One field as a file.', '一个字段变成一个文件。'],
  ),
  words(downwardAPIVolumeSource, {
    items: ['Fields that become files.', '变成文件的字段。'],
    defaultMode,
  }),
  words(downwardAPIProjection, {
    items: ['Fields that become files.', '变成文件的字段。'],
  }),
  words(secretProjection, {
    name: ['Name of the Secret.', 'Secret 的名字。'],
    items,
    optional,
  }),
  words(configMapProjection, {
    name: ['Name of the ConfigMap.', 'ConfigMap 的名字。'],
    items,
    optional,
  }),
  words(serviceAccountTokenProjection, {
    path: ['File of the token, below the mount path.', '令牌的文件，在挂载路径之下。'],
    audience: ['The audience of the token.', '令牌是给谁的。'],
    expirationSeconds: ['How long it is valid.', '有效多久。'],
  }),
  words(
    volumeProjection,
    {
      downwardAPI: ['Fields of the pod.', 'Pod 的字段。'],
      secret: [
        'Keys of a Secret. Static pods may not use it: it needs the API server’s Secret.',
        'Secret 的键。静态 Pod 不能用：它需要 API server 里的 Secret。',
      ],
      configMap: [
        'Keys of a ConfigMap. Static pods may not use it: it needs the API server’s ConfigMap.',
        'ConfigMap 的键。静态 Pod 不能用：它需要 API server 里的 ConfigMap。',
      ],
      serviceAccountToken: [
        'A token of the pod’s service account. Static pods may not use it.',
        'Pod 服务账号的令牌。静态 Pod 不能用。',
      ],
      clusterTrustBundle: ['Trust anchors. Static pods may not use them.', '信任锚。静态 Pod 不能用。'],
      podCertificate: ['A certificate for the pod. Static pods may not use it.', '给 Pod 的证书。静态 Pod 不能用。'],
    },
    ['One source.', '一个来源。'],
  ),
  words(projectedVolumeSource, {
    sources: [
      'The sources of the folder. Without an API server only downwardAPI is possible, and even that is refused, as upstream does.',
      '目录由什么组成。没有 API server 时只认得 downwardAPI，而且同上游一样会被拒绝。',
    ],
    defaultMode,
  }),
  words(configMapVolumeSource, {
    name: ['Name of the ConfigMap.', 'ConfigMap 的名字。'],
    items,
    defaultMode,
    optional,
  }),
  words(secretVolumeSource, {
    secretName: ['Name of the Secret.', 'Secret 的名字。'],
    items,
    defaultMode,
    optional,
  }),
  words(persistentVolumeClaimVolumeSource, {
    claimName: ['Name of the claim.', '申领的名字。'],
    readOnly: ['Mounts it read-only.', '只读挂载。'],
  }),
  words(imageVolumeSource, {
    reference: ['Image whose files are mounted.', '要挂载其文件的镜像。'],
    pullPolicy: [
      'When the image is pulled; Always for :latest or no tag, else IfNotPresent.',
      '什么时候拉取镜像；:latest 或没有标签时是 Always，否则是 IfNotPresent。',
    ],
  }),
  words(
    volume,
    {
      name: ['Name that volumeMounts refer to.', 'volumeMounts 引用的名字。'],
      emptyDir: ['A folder that begins empty and lives as long as the pod.', '一个开始时为空的目录，和 Pod 同生共死。'],
      hostPath: ['A file or folder of the node.', '节点上的一个文件或目录。'],
      downwardAPI: ['Fields of the pod as files.', '把 Pod 的字段变成文件。'],
      projected: ['Several sources in one folder.', '把几个来源放进同一个目录。'],
      configMap: [
        'Keys of a ConfigMap as files. Static pods may not use it: it needs the API server’s ConfigMap.',
        '把 ConfigMap 的键变成文件。静态 Pod 不能用：它需要 API server 里的 ConfigMap。',
      ],
      secret: [
        'Keys of a Secret as files. Static pods may not use it: it needs the API server’s Secret.',
        '把 Secret 的键变成文件。静态 Pod 不能用：它需要 API server 里的 Secret。',
      ],
      persistentVolumeClaim: [
        'Storage by a claim. Static pods may not use it.',
        '通过 PVC 申领的存储。静态 Pod 不能用。',
      ],
      image: ['The files of an image, read-only.', '一个镜像里的文件，只读。'],
      csi: noPlugin,
      ephemeral: noPlugin,
      nfs: noPlugin,
      iscsi: noPlugin,
      fc: noPlugin,
      gitRepo: noPlugin,
      awsElasticBlockStore: noPlugin,
      gcePersistentDisk: noPlugin,
      azureDisk: noPlugin,
      azureFile: noPlugin,
      cephfs: noPlugin,
      cinder: noPlugin,
      flexVolume: noPlugin,
      flocker: noPlugin,
      glusterfs: noPlugin,
      photonPersistentDisk: noPlugin,
      portworxVolume: noPlugin,
      quobyte: noPlugin,
      rbd: noPlugin,
      scaleIO: noPlugin,
      storageos: noPlugin,
      vsphereVolume: noPlugin,
    },
    [
      'A volume: a name, and one source. Without a source it is an emptyDir.',
      '一个卷：一个名字和一个来源。没有来源就是 emptyDir。',
    ],
  ),
];
