import {
  bool,
  byValue,
  embedded,
  field,
  int32,
  int64,
  list,
  map,
  oneOf,
  pointer,
  quantity,
  raw,
  required,
  type Shape,
  str,
  struct,
  usually,
} from './field.js';
import { labelSelector } from './meta.js';
import { localObject, localObjectReference, objectFieldSelector, resourceFieldSelector } from './references.js';

export const emptyDirVolumeSource = struct('EmptyDirVolumeSource', {
  medium: field(1, usually('', 'Memory'), { ignored: true }),
  sizeLimit: pointer(2, quantity, { ignored: true }),
});
export const hostPathVolumeSource = struct('HostPathVolumeSource', {
  path: required(1, str),
  type: pointer(
    2,
    oneOf('', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    { default: '' },
  ),
});
const keyToPathFields = {
  key: required(1, str),
  path: required(2, str),
  mode: pointer(3, int32),
};
export interface KeyToPath extends Shape<typeof keyToPathFields> {}
export const keyToPath = struct<KeyToPath>('KeyToPath', keyToPathFields);
export const configMapVolumeSource = struct('ConfigMapVolumeSource', {
  ...embedded(1, localObject),
  items: field(2, list(keyToPath)),
  defaultMode: pointer(3, int32, { default: 420 }),
  optional: pointer(4, bool),
});
export const secretVolumeSource = struct('SecretVolumeSource', {
  secretName: field(1, str),
  items: field(2, list(keyToPath)),
  defaultMode: pointer(3, int32, { default: 420 }),
  optional: pointer(4, bool),
});
const downwardAPIVolumeFileFields = {
  path: required(1, str),
  fieldRef: field(2, objectFieldSelector),
  resourceFieldRef: field(3, resourceFieldSelector),
  mode: pointer(4, int32),
};
export interface DownwardAPIVolumeFile extends Shape<typeof downwardAPIVolumeFileFields> {}
export const downwardAPIVolumeFile = struct<DownwardAPIVolumeFile>(
  'DownwardAPIVolumeFile',
  downwardAPIVolumeFileFields,
  { union: ['fieldRef', 'resourceFieldRef'] },
);
export const downwardAPIVolumeSource = struct('DownwardAPIVolumeSource', {
  items: field(1, list(downwardAPIVolumeFile)),
  defaultMode: pointer(2, int32, { default: 420 }),
});
export const secretProjection = struct('SecretProjection', {
  ...embedded(1, localObject),
  items: field(2, list(keyToPath)),
  optional: pointer(4, bool),
});
export const configMapProjection = struct('ConfigMapProjection', {
  ...embedded(1, localObject),
  items: field(2, list(keyToPath)),
  optional: pointer(4, bool),
});
export const downwardAPIProjection = struct('DownwardAPIProjection', {
  items: field(1, list(downwardAPIVolumeFile)),
});
export const serviceAccountTokenProjection = struct('ServiceAccountTokenProjection', {
  audience: field(1, str),
  expirationSeconds: pointer(2, int64, { default: 3600 }),
  path: required(3, str),
});
export const clusterTrustBundleProjection = struct('ClusterTrustBundleProjection', {
  name: pointer(1, str),
  signerName: pointer(2, str),
  labelSelector: field(3, labelSelector),
  optional: pointer(5, bool),
  path: required(4, str),
});
const volumeProjectionFields = {
  secret: field(1, secretProjection),
  configMap: field(3, configMapProjection),
  downwardAPI: field(2, downwardAPIProjection),
  serviceAccountToken: field(4, serviceAccountTokenProjection),
  clusterTrustBundle: field(5, clusterTrustBundleProjection),
  podCertificate: pointer(6, raw),
};
export interface VolumeProjection extends Shape<typeof volumeProjectionFields> {}
export const volumeProjection = struct<VolumeProjection>('VolumeProjection', volumeProjectionFields, {
  union: ['downwardAPI', 'secret', 'configMap', 'serviceAccountToken', 'clusterTrustBundle', 'podCertificate'],
});
export const projectedVolumeSource = struct('ProjectedVolumeSource', {
  sources: byValue(1, list(volumeProjection)),
  defaultMode: pointer(2, int32, { default: 420 }),
});
export const persistentVolumeClaimVolumeSource = struct('PersistentVolumeClaimVolumeSource', {
  claimName: required(1, str),
  readOnly: field(2, bool),
});
export const imageVolumeSource = struct('ImageVolumeSource', {
  reference: field(1, str),
  pullPolicy: field(2, oneOf('Always', 'IfNotPresent', 'Never')),
});
export const nfsVolumeSource = struct('NFSVolumeSource', {
  server: required(1, str),
  path: required(2, str),
  readOnly: field(3, bool),
});
export const csiVolumeSource = struct('CSIVolumeSource', {
  driver: required(1, str),
  readOnly: pointer(2, bool),
  fsType: pointer(3, str),
  volumeAttributes: field(4, map(str)),
  nodePublishSecretRef: field(5, localObjectReference),
});
/** upstream: core/v1 VolumeSource */
const volumeSource = {
  emptyDir: field(2, emptyDirVolumeSource),
  hostPath: field(1, hostPathVolumeSource),
  configMap: field(19, configMapVolumeSource),
  secret: field(6, secretVolumeSource),
  downwardAPI: field(16, downwardAPIVolumeSource),
  projected: field(26, projectedVolumeSource),
  persistentVolumeClaim: field(10, persistentVolumeClaimVolumeSource),
  image: field(30, imageVolumeSource),
  nfs: field(7, nfsVolumeSource, { ignored: true }),
  csi: field(28, csiVolumeSource, { ignored: true }),
  ephemeral: pointer(29, raw, { ignored: true }),
  iscsi: pointer(8, raw, { ignored: true }),
  rbd: pointer(11, raw, { ignored: true }),
  cephfs: pointer(14, raw, { ignored: true }),
  cinder: pointer(13, raw, { ignored: true }),
  fc: pointer(17, raw, { ignored: true }),
  flexVolume: pointer(12, raw, { ignored: true }),
  flocker: pointer(15, raw, { ignored: true }),
  gitRepo: pointer(5, raw, { ignored: true }),
  glusterfs: pointer(9, raw, { ignored: true }),
  gcePersistentDisk: pointer(3, raw, { ignored: true }),
  awsElasticBlockStore: pointer(4, raw, { ignored: true }),
  azureDisk: pointer(22, raw, { ignored: true }),
  azureFile: pointer(18, raw, { ignored: true }),
  photonPersistentDisk: pointer(23, raw, { ignored: true }),
  portworxVolume: pointer(24, raw, { ignored: true }),
  quobyte: pointer(21, raw, { ignored: true }),
  scaleIO: pointer(25, raw, { ignored: true }),
  storageos: pointer(27, raw, { ignored: true }),
  vsphereVolume: pointer(20, raw, { ignored: true }),
};
const volumeFields = {
  name: required(1, str),
  ...embedded(2, volumeSource),
};
export interface Volume extends Shape<typeof volumeFields> {}
export const volume = struct<Volume>('Volume', volumeFields, { union: Object.keys(volumeSource) });
