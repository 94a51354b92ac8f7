import { labelSelector, object } from './meta.js';
import {
  type ApiType,
  bool,
  int32,
  int64,
  intOrString,
  keep,
  list,
  listMap,
  map,
  plainSet,
  ptr,
  quantity,
  raw,
  str,
  struct,
  time,
} from './type.js';

type Fields = Readonly<Record<string, ApiType>>;
const resourceList = map(quantity);
/** Replaced as a whole by server-side apply. upstream: +structType=atomic */
const atomic = (name: string, fields: Fields) => struct(name, fields, { atomic: true });

export const localObjectReference = atomic('LocalObjectReference', { name: str });
export const objectReference = atomic('ObjectReference', {
  kind: str,
  namespace: str,
  name: str,
  uid: str,
  apiVersion: str,
  resourceVersion: str,
  fieldPath: str,
});

export const resourceRequirements = struct('ResourceRequirements', {
  limits: resourceList,
  requests: resourceList,
  // Items that apply knows by name, but that a strategic merge patch replaces.
  claims: { t: 'list', of: struct('ResourceClaim', { name: keep(str), request: str }), list: 'map', keys: ['name'] },
});

const objectFieldSelector = atomic('ObjectFieldSelector', { apiVersion: str, fieldPath: keep(str) });
const resourceFieldSelector = atomic('ResourceFieldSelector', {
  containerName: str,
  resource: keep(str),
  divisor: keep(quantity),
});
const keySelector = (name: string) => atomic(name, { name: str, key: keep(str), optional: ptr(bool) });
const envVar = struct(
  'EnvVar',
  {
    name: keep(str),
    value: str,
    valueFrom: struct('EnvVarSource', {
      fieldRef: objectFieldSelector,
      resourceFieldRef: resourceFieldSelector,
      configMapKeyRef: keySelector('ConfigMapKeySelector'),
      secretKeyRef: keySelector('SecretKeySelector'),
      fileKeyRef: atomic('FileKeySelector', {
        volumeName: keep(str),
        path: keep(str),
        key: keep(str),
        optional: ptr(bool),
      }),
    }),
  },
  { required: ['name'] },
);
const envSource = (name: string) => struct(name, { name: str, optional: ptr(bool) });

const execAction = struct('ExecAction', { command: list(str) });
const httpGetAction = struct('HTTPGetAction', {
  path: str,
  port: keep(intOrString),
  host: str,
  scheme: str,
  httpHeaders: list(struct('HTTPHeader', { name: keep(str), value: keep(str) })),
});
const tcpSocketAction = struct('TCPSocketAction', { port: keep(intOrString), host: str });
const lifecycleHandler = struct('LifecycleHandler', {
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  sleep: struct('SleepAction', { seconds: keep(int64) }),
});
const probe = struct('Probe', {
  exec: execAction,
  httpGet: httpGetAction,
  tcpSocket: tcpSocketAction,
  grpc: struct('GRPCAction', { port: keep(int32), service: keep(ptr(str)) }),
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: ptr(int64),
});

const seLinuxOptions = struct('SELinuxOptions', { user: str, role: str, type: str, level: str });
const windowsOptions = struct('WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: ptr(str),
  gmsaCredentialSpec: ptr(str),
  runAsUserName: ptr(str),
  hostProcess: ptr(bool),
});
const profile = (name: string) => struct(name, { type: keep(str), localhostProfile: ptr(str) });
const identity: Fields = { runAsUser: ptr(int64), runAsGroup: ptr(int64), runAsNonRoot: ptr(bool) };
const confinement: Fields = {
  seLinuxOptions,
  windowsOptions,
  seccompProfile: profile('SeccompProfile'),
  appArmorProfile: profile('AppArmorProfile'),
};
const securityContext = struct('SecurityContext', {
  ...identity,
  ...confinement,
  capabilities: struct('Capabilities', { add: list(str), drop: list(str) }),
  privileged: ptr(bool),
  readOnlyRootFilesystem: ptr(bool),
  allowPrivilegeEscalation: ptr(bool),
  procMount: ptr(str),
});
const podSecurityContext = struct('PodSecurityContext', {
  ...identity,
  ...confinement,
  supplementalGroups: list(int64),
  supplementalGroupsPolicy: ptr(str),
  fsGroup: ptr(int64),
  fsGroupChangePolicy: ptr(str),
  sysctls: list(struct('Sysctl', { name: keep(str), value: keep(str) })),
  seLinuxChangePolicy: ptr(str),
});

const containerFields: Fields = {
  name: keep(str),
  image: str,
  command: list(str),
  args: list(str),
  workingDir: str,
  ports: listMap(
    struct(
      'ContainerPort',
      { name: str, hostPort: int32, containerPort: keep(int32), protocol: str, hostIP: str },
      { required: ['containerPort'] },
    ),
    ['containerPort', 'protocol'],
  ),
  envFrom: list(
    struct('EnvFromSource', {
      prefix: str,
      configMapRef: envSource('ConfigMapEnvSource'),
      secretRef: envSource('SecretEnvSource'),
    }),
  ),
  env: listMap(envVar, ['name']),
  resources: keep(resourceRequirements),
  resizePolicy: list(struct('ContainerResizePolicy', { resourceName: keep(str), restartPolicy: keep(str) })),
  restartPolicy: ptr(str),
  restartPolicyRules: list(
    struct('ContainerRestartRule', {
      action: str,
      exitCodes: struct('ContainerRestartRuleOnExitCodes', { operator: str, values: plainSet(int32) }),
    }),
  ),
  volumeMounts: listMap(
    struct(
      'VolumeMount',
      {
        name: keep(str),
        readOnly: bool,
        recursiveReadOnly: ptr(str),
        mountPath: keep(str),
        subPath: str,
        mountPropagation: ptr(str),
        subPathExpr: str,
      },
      { required: ['name', 'mountPath'] },
    ),
    ['mountPath'],
  ),
  volumeDevices: listMap(struct('VolumeDevice', { name: keep(str), devicePath: keep(str) }), ['devicePath']),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: struct('Lifecycle', { postStart: lifecycleHandler, preStop: lifecycleHandler, stopSignal: ptr(str) }),
  terminationMessagePath: str,
  terminationMessagePolicy: str,
  imagePullPolicy: str,
  securityContext,
  stdin: bool,
  stdinOnce: bool,
  tty: bool,
};
const container = struct('Container', containerFields, { required: ['name'] });
const ephemeralContainer = struct(
  'EphemeralContainer',
  { ...containerFields, targetContainerName: str },
  { required: ['name'] },
);

const items = list(struct('KeyToPath', { key: keep(str), path: keep(str), mode: ptr(int32) }));
const downwardItems = list(
  struct('DownwardAPIVolumeFile', {
    path: keep(str),
    fieldRef: objectFieldSelector,
    resourceFieldRef: resourceFieldSelector,
    mode: ptr(int32),
  }),
);
const optional = ptr(bool);
const projection = struct('VolumeProjection', {
  secret: struct('SecretProjection', { name: str, items, optional }),
  configMap: struct('ConfigMapProjection', { name: str, items, optional }),
  downwardAPI: struct('DownwardAPIProjection', { items: downwardItems }),
  serviceAccountToken: struct('ServiceAccountTokenProjection', {
    audience: str,
    expirationSeconds: ptr(int64),
    path: keep(str),
  }),
  clusterTrustBundle: struct('ClusterTrustBundleProjection', {
    name: ptr(str),
    signerName: ptr(str),
    labelSelector,
    optional,
    path: keep(str),
  }),
  podCertificate: raw,
});
const volume = struct(
  'Volume',
  {
    name: keep(str),
    emptyDir: struct('EmptyDirVolumeSource', { medium: str, sizeLimit: quantity }),
    hostPath: struct('HostPathVolumeSource', { path: keep(str), type: ptr(str) }),
    configMap: struct('ConfigMapVolumeSource', { name: str, items, defaultMode: ptr(int32), optional }),
    secret: struct('SecretVolumeSource', { secretName: str, items, defaultMode: ptr(int32), optional }),
    downwardAPI: struct('DownwardAPIVolumeSource', { items: downwardItems, defaultMode: ptr(int32) }),
    projected: struct('ProjectedVolumeSource', { sources: keep(list(projection)), defaultMode: ptr(int32) }),
    persistentVolumeClaim: struct('PersistentVolumeClaimVolumeSource', { claimName: keep(str), readOnly: bool }),
    image: struct('ImageVolumeSource', { reference: str, pullPolicy: str }),
    nfs: struct('NFSVolumeSource', { server: keep(str), path: keep(str), readOnly: bool }),
    csi: struct('CSIVolumeSource', {
      driver: keep(str),
      readOnly: ptr(bool),
      fsType: ptr(str),
      volumeAttributes: map(str),
      nodePublishSecretRef: localObjectReference,
    }),
    ephemeral: raw,
    iscsi: raw,
    rbd: raw,
    cephfs: raw,
    cinder: raw,
    fc: raw,
    flexVolume: raw,
    flocker: raw,
    gitRepo: raw,
    glusterfs: raw,
    gcePersistentDisk: raw,
    awsElasticBlockStore: raw,
    azureDisk: raw,
    azureFile: raw,
    photonPersistentDisk: raw,
    portworxVolume: raw,
    quobyte: raw,
    scaleIO: raw,
    storageos: raw,
    vsphereVolume: raw,
  },
  { required: ['name'], retainKeys: true },
);

const nodeSelectorTerm = atomic('NodeSelectorTerm', {
  matchExpressions: list(struct('NodeSelectorRequirement', { key: keep(str), operator: keep(str), values: list(str) })),
  matchFields: list(struct('NodeSelectorRequirement', { key: keep(str), operator: keep(str), values: list(str) })),
});
const podAffinityTerm = struct('PodAffinityTerm', {
  labelSelector,
  namespaces: list(str),
  topologyKey: keep(str),
  namespaceSelector: labelSelector,
  matchLabelKeys: list(str),
  mismatchLabelKeys: list(str),
});
const podAffinityFields: Fields = {
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(
    struct('WeightedPodAffinityTerm', { weight: keep(int32), podAffinityTerm: keep(podAffinityTerm) }),
  ),
};
const affinity = struct('Affinity', {
  nodeAffinity: struct('NodeAffinity', {
    requiredDuringSchedulingIgnoredDuringExecution: atomic('NodeSelector', {
      nodeSelectorTerms: keep(list(nodeSelectorTerm)),
    }),
    preferredDuringSchedulingIgnoredDuringExecution: list(
      struct('PreferredSchedulingTerm', { weight: keep(int32), preference: keep(nodeSelectorTerm) }),
    ),
  }),
  podAffinity: struct('PodAffinity', podAffinityFields),
  podAntiAffinity: struct('PodAntiAffinity', podAffinityFields),
});

export const toleration = struct('Toleration', {
  key: str,
  operator: str,
  value: str,
  effect: str,
  tolerationSeconds: ptr(int64),
});

export const podSpec = struct(
  'PodSpec',
  {
    volumes: listMap(volume, ['name'], { retainKeys: true }),
    initContainers: listMap(container, ['name']),
    containers: keep(listMap(container, ['name'])),
    ephemeralContainers: listMap(ephemeralContainer, ['name']),
    restartPolicy: str,
    terminationGracePeriodSeconds: ptr(int64),
    activeDeadlineSeconds: ptr(int64),
    dnsPolicy: str,
    nodeSelector: { ...map(str), atomic: true },
    serviceAccountName: str,
    serviceAccount: str,
    automountServiceAccountToken: ptr(bool),
    nodeName: str,
    hostNetwork: bool,
    hostPID: bool,
    hostIPC: bool,
    shareProcessNamespace: ptr(bool),
    securityContext: podSecurityContext,
    imagePullSecrets: listMap(localObjectReference, ['name']),
    hostname: str,
    subdomain: str,
    affinity,
    schedulerName: str,
    tolerations: list(toleration),
    hostAliases: listMap(struct('HostAlias', { ip: keep(str), hostnames: list(str) }), ['ip']),
    priorityClassName: str,
    priority: ptr(int32),
    dnsConfig: struct('PodDNSConfig', {
      nameservers: list(str),
      searches: list(str),
      options: list(struct('PodDNSConfigOption', { name: str, value: ptr(str) })),
    }),
    readinessGates: list(struct('PodReadinessGate', { conditionType: keep(str) })),
    runtimeClassName: ptr(str),
    enableServiceLinks: ptr(bool),
    preemptionPolicy: ptr(str),
    overhead: resourceList,
    topologySpreadConstraints: listMap(
      struct('TopologySpreadConstraint', {
        maxSkew: keep(int32),
        topologyKey: keep(str),
        whenUnsatisfiable: keep(str),
        labelSelector,
        minDomains: ptr(int32),
        nodeAffinityPolicy: ptr(str),
        nodeTaintsPolicy: ptr(str),
        matchLabelKeys: list(str),
      }),
      ['topologyKey', 'whenUnsatisfiable'],
    ),
    setHostnameAsFQDN: ptr(bool),
    os: struct('PodOS', { name: keep(str) }),
    hostUsers: ptr(bool),
    schedulingGates: listMap(struct('PodSchedulingGate', { name: keep(str) }), ['name']),
    resourceClaims: listMap(
      struct('PodResourceClaim', { name: keep(str), resourceClaimName: ptr(str), resourceClaimTemplateName: ptr(str) }),
      ['name'],
      { retainKeys: true },
    ),
    resources: resourceRequirements,
    hostnameOverride: ptr(str),
    schedulingGroup: raw,
  },
  { required: ['containers'] },
);

const containerState = struct('ContainerState', {
  waiting: struct('ContainerStateWaiting', { reason: str, message: str }),
  running: struct('ContainerStateRunning', { startedAt: keep(time) }),
  terminated: struct('ContainerStateTerminated', {
    exitCode: keep(int32),
    signal: int32,
    reason: str,
    message: str,
    startedAt: keep(time),
    finishedAt: keep(time),
    containerID: str,
  }),
});
const containerStatus = struct('ContainerStatus', {
  name: keep(str),
  state: keep(containerState),
  lastState: keep(containerState),
  ready: keep(bool),
  restartCount: keep(int32),
  image: keep(str),
  imageID: keep(str),
  containerID: str,
  started: ptr(bool),
  allocatedResources: resourceList,
  resources: resourceRequirements,
  volumeMounts: listMap(
    struct('VolumeMountStatus', {
      name: keep(str),
      mountPath: keep(str),
      readOnly: bool,
      recursiveReadOnly: ptr(str),
      volumeStatus: raw,
    }),
    ['mountPath'],
  ),
  user: struct('ContainerUser', {
    linux: struct('LinuxContainerUser', { uid: keep(int64), gid: keep(int64), supplementalGroups: list(int64) }),
  }),
  allocatedResourcesStatus: listMap(struct('ResourceStatus', { name: keep(str), resources: raw }), ['name']),
  stopSignal: ptr(str),
});

export const podStatus = struct('PodStatus', {
  observedGeneration: int64,
  phase: str,
  conditions: listMap(
    struct('PodCondition', {
      type: keep(str),
      observedGeneration: int64,
      status: keep(str),
      lastProbeTime: keep(time),
      lastTransitionTime: keep(time),
      reason: str,
      message: str,
    }),
    ['type'],
  ),
  message: str,
  reason: str,
  nominatedNodeName: str,
  hostIP: str,
  hostIPs: { ...list(struct('HostIP', { ip: keep(str) })), patchKey: 'ip' },
  podIP: str,
  podIPs: listMap(struct('PodIP', { ip: keep(str) }), ['ip']),
  startTime: ptr(time),
  initContainerStatuses: list(containerStatus),
  containerStatuses: list(containerStatus),
  qosClass: str,
  ephemeralContainerStatuses: list(containerStatus),
  resize: str,
  resourceClaimStatuses: listMap(
    struct('PodResourceClaimStatus', { name: keep(str), resourceClaimName: ptr(str) }),
    ['name'],
    { retainKeys: true },
  ),
  extendedResourceClaimStatus: raw,
  nodeAllocatableResourceClaimStatuses: list(raw),
  allocatedResources: resourceList,
  resources: resourceRequirements,
});

export const pod = object('Pod', { spec: keep(podSpec), status: keep(podStatus) });
