import type { Volume } from '../kubelet/api/types.js';
import {
  anything,
  bool,
  type Fields,
  int,
  list,
  object,
  type PropertiesOf,
  quantity,
  type SchemaNode,
  str,
  word,
} from './node.js';

const defaultMode = int(
  'Permissions of the files, as an octal number such as 0644.',
  '文件的权限，写成八进制数，例如 0644。',
  {
    default: 0o644,
  },
);
const optional = bool('The pod may start without it.', '没有它 Pod 也可以启动。');
const keyToPath = object(
  {
    key: str('Key to take.', '要取的键。'),
    path: str('File that it becomes, below the mount path.', '它变成的文件，在挂载路径之下。'),
    mode: int('Permissions of this file.', '这个文件的权限。'),
  },
  'One key as a file.',
  '一个键变成一个文件。',
  { required: ['key', 'path'] },
);
const items = list(keyToPath, 'Keys that become files; all of them if it is left out.', '变成文件的键；不写就是全部。');

const fieldPath = str(
  "Path of the field, such as metadata.name or metadata.labels['app'].",
  "字段的路径，例如 metadata.name 或 metadata.labels['app']。",
);
const apiVersion = str('API version that the path is in.', '路径所属的 API 版本。');
const fieldOf = (version: SchemaNode): SchemaNode =>
  object({ fieldPath, apiVersion: version }, 'A field of the pod.', 'Pod 的一个字段。', { required: ['fieldPath'] });
/** A field of the pod as the value of a variable. */
export const envFieldRef: SchemaNode = fieldOf({ ...apiVersion, default: 'v1' });
/** The same as a file of a volume. */
const fieldRef = fieldOf(apiVersion);
/** A container's resource as a value. */
export const resourceFieldRef: SchemaNode = object(
  {
    resource: str('Such as limits.cpu or requests.memory.', '例如 limits.cpu 或 requests.memory。'),
    containerName: str('Container that it is about; needed in volumes.', '指哪个容器；在卷里必须写。'),
    divisor: quantity('Unit that the value is given in, such as 1m or 1Mi.', '数值使用的单位，例如 1m 或 1Mi。'),
  },
  'A container’s request or limit.',
  '容器的一个 request 或 limit。',
  { required: ['resource'] },
);

const downwardItems = list(
  object(
    {
      path: str('File, below the mount path.', '文件，在挂载路径之下。'),
      fieldRef,
      resourceFieldRef,
      mode: int('Permissions of this file.', '这个文件的权限。'),
    },
    'One field as a file.',
    '一个字段变成一个文件。',
    { required: ['path'], oneOf: ['fieldRef', 'resourceFieldRef'] },
  ),
  'Fields that become files.',
  '变成文件的字段。',
);

const apiObject = (kind: string, zh: string) => ({
  en: `Static pods may not use it: it needs the API server’s ${kind}.`,
  zh: `静态 Pod 不能用：它需要 API server 里的${zh}。`,
});
const secretWords = apiObject('Secret', ' Secret');
const configMapWords = apiObject('ConfigMap', ' ConfigMap');

const known: PropertiesOf<Volume> = {
  name: str('Name that volumeMounts refer to.', 'volumeMounts 引用的名字。'),
  emptyDir: object(
    {
      medium: word(
        ['', 'Memory'],
        'Memory for a tmpfs; kept on disk here all the same.',
        'Memory 表示 tmpfs；这里一律放在磁盘上。',
        { unsupported: true },
      ),
      sizeLimit: quantity('Most that it may hold; not enforced here.', '最多能放多少；这里不强制。', {
        unsupported: true,
      }),
    },
    'A folder that begins empty and lives as long as the pod.',
    '一个开始时为空的目录，和 Pod 同生共死。',
  ),
  hostPath: object(
    {
      path: str('Path on the node.', '节点上的路径。'),
      type: word(
        ['', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'],
        'What must be there, checked before it is mounted; empty for no check.',
        '挂载前检查那里必须是什么；空表示不检查。',
        { default: '' },
      ),
    },
    'A file or folder of the node.',
    '节点上的一个文件或目录。',
    { required: ['path'] },
  ),
  downwardAPI: object({ items: downwardItems, defaultMode }, 'Fields of the pod as files.', '把 Pod 的字段变成文件。'),
  projected: object(
    {
      sources: list(
        object(
          {
            downwardAPI: object({ items: downwardItems }, 'Fields of the pod.', 'Pod 的字段。'),
            secret: object(
              { name: str('Name of the Secret.', 'Secret 的名字。'), items, optional },
              `Keys of a Secret. ${secretWords.en}`,
              `Secret 的键。${secretWords.zh}`,
            ),
            configMap: object(
              { name: str('Name of the ConfigMap.', 'ConfigMap 的名字。'), items, optional },
              `Keys of a ConfigMap. ${configMapWords.en}`,
              `ConfigMap 的键。${configMapWords.zh}`,
            ),
            serviceAccountToken: object(
              {
                path: str('File of the token, below the mount path.', '令牌的文件，在挂载路径之下。'),
                audience: str('Whom the token is meant for.', '令牌是给谁的。'),
                expirationSeconds: int('How long it is valid.', '有效多久。', { default: 3600 }),
              },
              'A token of the pod’s service account. Static pods may not use it.',
              'Pod 服务账号的令牌。静态 Pod 不能用。',
              { required: ['path'] },
            ),
            clusterTrustBundle: anything('Trust anchors. Static pods may not use them.', '信任锚。静态 Pod 不能用。'),
            podCertificate: anything(
              'A certificate for the pod. Static pods may not use it.',
              '给 Pod 的证书。静态 Pod 不能用。',
            ),
          },
          'One source.',
          '一个来源。',
          {
            oneOf: [
              'downwardAPI',
              'secret',
              'configMap',
              'serviceAccountToken',
              'clusterTrustBundle',
              'podCertificate',
            ],
          },
        ),
        'What the folder is put together from. Without an API server only downwardAPI is known, and even that is refused, as upstream does.',
        '目录由什么组成。没有 API server 时只认得 downwardAPI，而且同上游一样会被拒绝。',
      ),
      defaultMode,
    },
    'Several sources in one folder.',
    '把几个来源放进同一个目录。',
  ),
  configMap: object(
    { name: str('Name of the ConfigMap.', 'ConfigMap 的名字。'), items, defaultMode, optional },
    `Keys of a ConfigMap as files. ${configMapWords.en}`,
    `把 ConfigMap 的键变成文件。${configMapWords.zh}`,
  ),
  secret: object(
    { secretName: str('Name of the Secret.', 'Secret 的名字。'), items, defaultMode, optional },
    `Keys of a Secret as files. ${secretWords.en}`,
    `把 Secret 的键变成文件。${secretWords.zh}`,
  ),
  persistentVolumeClaim: object(
    {
      claimName: str('Name of the claim.', '申领的名字。'),
      readOnly: bool('Mounts it read-only.', '只读挂载。'),
    },
    'Storage by a claim. Static pods may not use it.',
    '通过 PVC 申领的存储。静态 Pod 不能用。',
    { required: ['claimName'] },
  ),
  image: object(
    {
      reference: str('Image whose files are mounted.', '要挂载其文件的镜像。'),
      pullPolicy: word(
        ['Always', 'IfNotPresent', 'Never'],
        'When the image is pulled; Always for :latest or no tag, else IfNotPresent.',
        '什么时候拉取镜像；:latest 或没有标签时是 Always，否则是 IfNotPresent。',
      ),
    },
    'The files of an image, read-only.',
    '一个镜像里的文件，只读。',
  ),
};

/** Kinds of volumes that Kubernetes has, and for which there is no plug-in here: a pod that mounts one waits for it in vain. */
const elsewhere: Fields = Object.fromEntries(
  (
    [
      'csi',
      'ephemeral',
      'nfs',
      'iscsi',
      'fc',
      'gitRepo',
      'awsElasticBlockStore',
      'gcePersistentDisk',
      'azureDisk',
      'azureFile',
      'cephfs',
      'cinder',
      'flexVolume',
      'flocker',
      'glusterfs',
      'photonPersistentDisk',
      'portworxVolume',
      'quobyte',
      'rbd',
      'scaleIO',
      'storageos',
      'vsphereVolume',
    ] as const
  ).map((kind) => [
    kind,
    anything(
      'A kind of volume for which this node has no plug-in: a pod that mounts it does not start.',
      '这个节点没有这种卷的插件：挂载它的 Pod 启动不了。',
      { unsupported: true },
    ),
  ]),
);

/** Names of everything that a volume can be made of. */
export const volumeSources: readonly string[] = [...Object.keys(known), ...Object.keys(elsewhere)].filter(
  (k) => k !== 'name',
);

export const volume: SchemaNode = object(
  { ...known, ...elsewhere },
  'A volume: a name, and one source. Without a source it is an emptyDir.',
  '一个卷：一个名字和一个来源。没有来源就是 emptyDir。',
  { required: ['name'], oneOf: volumeSources },
);
