import { any, bool, type Decoder, int, intOrString, list, map, obj, quantity, str, time } from './schema.js';

/** The v1 Pod, as far as types.ts has it. upstream: staging/src/k8s.io/api/core/v1/types.go */

const strings = list(str);
const resourceList = map(quantity);
const resources = obj({ limits: resourceList, requests: resourceList, claims: list(any) });
const localRef = obj({ name: str });
const optionalRef = { name: str, optional: bool };
const keyRef = obj({ ...optionalRef, key: str });
const resourceFieldRef = obj({ containerName: str, resource: str, divisor: quantity });
const fieldRef = obj({ apiVersion: str, fieldPath: str });
const fileKeyRef = obj({ volumeName: str, path: str, key: str, optional: bool });

const exec = obj({ command: strings });
const httpGet = obj({
  path: str,
  port: intOrString,
  host: str,
  scheme: str,
  httpHeaders: list(obj({ name: str, value: str })),
});
const tcpSocket = obj({ port: intOrString, host: str });
const lifecycleHandler = obj({ exec, httpGet, tcpSocket, sleep: obj({ seconds: int }) });
const probe = obj({
  exec,
  httpGet,
  tcpSocket,
  grpc: obj({ port: int, service: str }),
  initialDelaySeconds: int,
  timeoutSeconds: int,
  periodSeconds: int,
  successThreshold: int,
  failureThreshold: int,
  terminationGracePeriodSeconds: int,
});

const seLinuxOptions = obj({ user: str, role: str, type: str, level: str });
const profile = obj({ type: str, localhostProfile: str });
const identity = { runAsUser: int, runAsGroup: int, runAsNonRoot: bool };
const confinement = { seLinuxOptions, seccompProfile: profile, appArmorProfile: profile, windowsOptions: any };
const securityContext = obj({
  ...identity,
  ...confinement,
  capabilities: obj({ add: strings, drop: strings }),
  privileged: bool,
  readOnlyRootFilesystem: bool,
  allowPrivilegeEscalation: bool,
  procMount: str,
});
const podSecurityContext = obj({
  ...identity,
  ...confinement,
  supplementalGroups: list(int),
  supplementalGroupsPolicy: str,
  fsGroup: int,
  fsGroupChangePolicy: str,
  sysctls: list(obj({ name: str, value: str })),
  seLinuxChangePolicy: str,
});

const containerFields: Record<string, Decoder> = {
  name: str,
  image: str,
  command: strings,
  args: strings,
  workingDir: str,
  ports: list(obj({ name: str, hostPort: int, containerPort: int, protocol: str, hostIP: str })),
  envFrom: list(obj({ prefix: str, configMapRef: obj(optionalRef), secretRef: obj(optionalRef) })),
  env: list(
    obj({
      name: str,
      value: str,
      valueFrom: obj({ fieldRef, resourceFieldRef, configMapKeyRef: keyRef, secretKeyRef: keyRef, fileKeyRef }),
    }),
  ),
  resources,
  resizePolicy: list(obj({ resourceName: str, restartPolicy: str })),
  restartPolicy: str,
  restartPolicyRules: list(obj({ action: str, exitCodes: obj({ operator: str, values: list(int) }) })),
  volumeMounts: list(
    obj({
      name: str,
      readOnly: bool,
      recursiveReadOnly: str,
      mountPath: str,
      subPath: str,
      mountPropagation: str,
      subPathExpr: str,
    }),
  ),
  volumeDevices: list(obj({ name: str, devicePath: str })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: obj({ postStart: lifecycleHandler, preStop: lifecycleHandler, stopSignal: str }),
  terminationMessagePath: str,
  terminationMessagePolicy: str,
  imagePullPolicy: str,
  securityContext,
  stdin: bool,
  stdinOnce: bool,
  tty: bool,
};
const container = obj(containerFields);

const keyToPath = list(obj({ key: str, path: str, mode: int }));
const files = { items: keyToPath, defaultMode: int };
const downwardItems = list(obj({ path: str, fieldRef, resourceFieldRef, mode: int }));
const projectedSource = obj(
  {
    downwardAPI: obj({ items: downwardItems }),
    configMap: obj({ ...optionalRef, items: keyToPath }),
    secret: obj({ ...optionalRef, items: keyToPath }),
    serviceAccountToken: obj({ audience: str, expirationSeconds: int, path: str }),
  },
  any,
);
const volume = obj(
  {
    name: str,
    emptyDir: obj({ medium: str, sizeLimit: quantity }),
    hostPath: obj({ path: str, type: str }),
    configMap: obj({ ...optionalRef, ...files }),
    secret: obj({ secretName: str, optional: bool, ...files }),
    downwardAPI: obj({ items: downwardItems, defaultMode: int }),
    projected: obj({ sources: list(projectedSource), defaultMode: int }),
    persistentVolumeClaim: obj({ claimName: str, readOnly: bool }),
    image: obj({ reference: str, pullPolicy: str }),
  },
  any,
);

const spec = obj({
  volumes: list(volume),
  initContainers: list(container),
  containers: list(container),
  ephemeralContainers: list(obj({ ...containerFields, targetContainerName: str })),
  restartPolicy: str,
  terminationGracePeriodSeconds: int,
  activeDeadlineSeconds: int,
  dnsPolicy: str,
  nodeSelector: map(str),
  serviceAccountName: str,
  serviceAccount: str,
  automountServiceAccountToken: bool,
  nodeName: str,
  hostNetwork: bool,
  hostPID: bool,
  hostIPC: bool,
  hostUsers: bool,
  shareProcessNamespace: bool,
  securityContext: podSecurityContext,
  imagePullSecrets: list(localRef),
  hostname: str,
  subdomain: str,
  setHostnameAsFQDN: bool,
  hostnameOverride: str,
  affinity: any,
  schedulerName: str,
  tolerations: list(obj({ key: str, operator: str, value: str, effect: str, tolerationSeconds: int })),
  hostAliases: list(obj({ ip: str, hostnames: strings })),
  priorityClassName: str,
  priority: int,
  dnsConfig: obj({
    nameservers: strings,
    searches: strings,
    options: list(obj({ name: str, value: str })),
  }),
  readinessGates: list(obj({ conditionType: str })),
  runtimeClassName: str,
  enableServiceLinks: bool,
  preemptionPolicy: str,
  overhead: resourceList,
  topologySpreadConstraints: list(any),
  os: obj({ name: str }),
  resourceClaims: list(any),
  resources,
});

const metadata = obj({
  name: str,
  generateName: str,
  namespace: str,
  uid: str,
  labels: map(str),
  annotations: map(str),
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int,
  generation: int,
  resourceVersion: str,
  ownerReferences: list(
    obj({ apiVersion: str, kind: str, name: str, uid: str, controller: bool, blockOwnerDeletion: bool }),
  ),
  finalizers: strings,
});

export const podSchema: Decoder = obj({ apiVersion: str, kind: str, metadata, spec, status: obj({}, any) });
