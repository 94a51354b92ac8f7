import {
  atomic,
  bool,
  byValue,
  embedded,
  field,
  int32,
  keyedList,
  list,
  listMap,
  map,
  oneOf,
  plainSet,
  pointer,
  quantity,
  required,
  type Shape,
  str,
  struct,
} from './field.js';
import { lifecycle, probe } from './probe.js';
import { localObject, objectFieldSelector, resourceFieldSelector } from './references.js';
import { securityContext } from './security.js';

const containerPortFields = {
  name: field(1, str),
  hostPort: field(2, int32),
  containerPort: required(3, int32),
  protocol: field(4, oneOf('TCP', 'UDP', 'SCTP'), { default: 'TCP' }),
  hostIP: field(5, str),
};
export interface ContainerPort extends Shape<typeof containerPortFields> {}
export const containerPort = struct<ContainerPort>('ContainerPort', containerPortFields);
export const configMapEnvSource = struct('ConfigMapEnvSource', {
  ...embedded(1, localObject),
  optional: pointer(2, bool),
});
export const secretEnvSource = struct('SecretEnvSource', {
  ...embedded(1, localObject),
  optional: pointer(2, bool),
});
const envFromSourceFields = {
  prefix: field(1, str),
  configMapRef: field(2, configMapEnvSource),
  secretRef: field(3, secretEnvSource),
};
export interface EnvFromSource extends Shape<typeof envFromSourceFields> {}
export const envFromSource = struct<EnvFromSource>('EnvFromSource', envFromSourceFields, {
  union: ['configMapRef', 'secretRef'],
});
export const configMapKeySelector = atomic('ConfigMapKeySelector', {
  ...embedded(1, localObject),
  key: required(2, str),
  optional: pointer(3, bool),
});
export const secretKeySelector = atomic('SecretKeySelector', {
  ...embedded(1, localObject),
  key: required(2, str),
  optional: pointer(3, bool),
});
export const fileKeySelector = atomic('FileKeySelector', {
  volumeName: required(1, str),
  path: required(2, str),
  key: required(3, str),
  optional: pointer(4, bool, { default: false }),
});
export const envVarSource = struct(
  'EnvVarSource',
  {
    fieldRef: field(1, objectFieldSelector),
    resourceFieldRef: field(2, resourceFieldSelector),
    configMapKeyRef: field(3, configMapKeySelector),
    secretKeyRef: field(4, secretKeySelector),
    fileKeyRef: field(5, fileKeySelector),
  },
  { union: ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] },
);
const envVarFields = {
  name: required(1, str),
  value: field(2, str),
  valueFrom: field(3, envVarSource),
};
export interface EnvVar extends Shape<typeof envVarFields> {}
export const envVar = struct<EnvVar>('EnvVar', envVarFields);
export const resourceClaim = struct('ResourceClaim', {
  name: required(1, str),
  request: field(2, str),
});
const resourceRequirementsFields = {
  limits: field(1, map(quantity)),
  requests: field(2, map(quantity)),
  claims: field(3, keyedList(resourceClaim, ['name']), { ignored: true }),
};
export interface ResourceRequirements extends Shape<typeof resourceRequirementsFields> {}
export const resourceRequirements = struct<ResourceRequirements>('ResourceRequirements', resourceRequirementsFields);
export const containerResizePolicy = struct('ContainerResizePolicy', {
  resourceName: required(1, oneOf('cpu', 'memory')),
  restartPolicy: required(2, oneOf('NotRequired', 'RestartContainer')),
});
export const containerRestartRuleOnExitCodes = struct('ContainerRestartRuleOnExitCodes', {
  operator: field(1, oneOf('In', 'NotIn'), { required: true }),
  values: field(2, plainSet(int32)),
});
const containerRestartRuleFields = {
  action: field(1, oneOf('Restart', 'RestartAllContainers'), { required: true }),
  exitCodes: field(2, containerRestartRuleOnExitCodes),
};
export interface ContainerRestartRule extends Shape<typeof containerRestartRuleFields> {}
export const containerRestartRule = struct<ContainerRestartRule>('ContainerRestartRule', containerRestartRuleFields);
const volumeMountFields = {
  name: required(1, str),
  readOnly: field(2, bool),
  recursiveReadOnly: pointer(7, oneOf('Disabled', 'IfPossible', 'Enabled')),
  mountPath: required(3, str),
  subPath: field(4, str),
  mountPropagation: pointer(5, oneOf('None', 'HostToContainer', 'Bidirectional')),
  subPathExpr: field(6, str),
};
export interface VolumeMount extends Shape<typeof volumeMountFields> {}
export const volumeMount = struct<VolumeMount>('VolumeMount', volumeMountFields);
export const volumeDevice = struct('VolumeDevice', {
  name: required(1, str),
  devicePath: required(2, str),
});
export const containerFields = {
  name: required(1, str),
  image: field(2, str, { needed: true }),
  command: field(3, list(str)),
  args: field(4, list(str)),
  workingDir: field(5, str),
  ports: field(6, listMap(containerPort, ['containerPort', 'protocol'])),
  envFrom: field(19, list(envFromSource)),
  env: field(7, listMap(envVar, ['name'])),
  resources: byValue(8, resourceRequirements, { default: {} }),
  resizePolicy: field(23, list(containerResizePolicy)),
  restartPolicy: pointer(24, oneOf('Always', 'OnFailure', 'Never')),
  restartPolicyRules: field(25, list(containerRestartRule)),
  volumeMounts: field(9, listMap(volumeMount, ['mountPath'])),
  volumeDevices: field(21, listMap(volumeDevice, ['devicePath']), { ignored: true }),
  livenessProbe: field(10, probe),
  readinessProbe: field(11, probe),
  startupProbe: field(22, probe),
  lifecycle: field(12, lifecycle),
  terminationMessagePath: field(13, str, { default: '/dev/termination-log' }),
  terminationMessagePolicy: field(20, oneOf('File', 'FallbackToLogsOnError'), { default: 'File' }),
  imagePullPolicy: field(14, oneOf('Always', 'IfNotPresent', 'Never')),
  securityContext: field(15, securityContext),
  stdin: field(16, bool),
  stdinOnce: field(17, bool),
  tty: field(18, bool),
};
export interface Container extends Shape<typeof containerFields> {}
export const container = struct<Container>('Container', containerFields);
const ephemeralContainerFields = {
  ...embedded(1, containerFields),
  targetContainerName: field(2, str),
};
export interface EphemeralContainer extends Shape<typeof ephemeralContainerFields> {}
export const ephemeralContainer = struct<EphemeralContainer>('EphemeralContainer', ephemeralContainerFields);
