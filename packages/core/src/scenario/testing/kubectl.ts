/** Texts as `kubectl get -o yaml` prints them. */

const ownership = (name: string, uid: string) => `    generateName: ${name}-6d4cf56db6-
    ownerReferences:
    - apiVersion: apps/v1
      blockOwnerDeletion: true
      controller: true
      kind: ReplicaSet
      name: ${name}-6d4cf56db6
      uid: ${uid}
    resourceVersion: "184213"
    uid: ${uid.replace('1', '2')}
    managedFields:
    - apiVersion: v1
      fieldsType: FieldsV1
      fieldsV1: {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}
      manager: kube-controller-manager
      operation: Update
      time: "2025-05-02T08:11:04Z"
`;

const volumes = `    volumes:
    - name: kube-api-access-x7k2p
      projected:
        defaultMode: 420
        sources:
        - serviceAccountToken:
            expirationSeconds: 3607
            path: token
        - configMap:
            items:
            - key: ca.crt
              path: ca.crt
            name: kube-root-ca.crt
        - downwardAPI:
            items:
            - fieldRef:
                apiVersion: v1
                fieldPath: metadata.namespace
              path: namespace
`;
const mount = `      volumeMounts:
      - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
        name: kube-api-access-x7k2p
        readOnly: true
`;

interface Options {
  readonly image?: string;
  readonly container?: string;
  readonly spec?: string;
  readonly status: string;
  readonly phase?: string;
  readonly more?: string;
}

/** One item of a List: a pod of a Deployment with one container, app. */
export const kubectlPod = (name: string, o: Options): string => `- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      kubectl.kubernetes.io/restartedAt: "2025-05-01T10:00:00Z"
      prometheus.io/scrape: "true"
    creationTimestamp: "2025-05-02T08:11:04Z"
${ownership(name, '11111111-aaaa-4bbb-8ccc-123456789012')}    labels:
      app: ${name}
      pod-template-hash: 6d4cf56db6
    name: ${name}-6d4cf56db6-x2x9z
    namespace: shop
  spec:
    affinity: {}
    automountServiceAccountToken: true
    containers:
    - image: ${o.image ?? `registry.example.com/${name}:1.4.2`}
      imagePullPolicy: IfNotPresent
      name: app
      args: ["--config", "/etc/app/config.yaml"]
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
${o.container ?? '      resources: {}\n'}${mount}    dnsPolicy: ClusterFirst
    enableServiceLinks: true
    nodeName: worker-3
    preemptionPolicy: PreemptLowerPriority
    priority: 0
    restartPolicy: Always
    schedulerName: default-scheduler
    securityContext: {}
    serviceAccount: ${name}
    serviceAccountName: ${name}
    terminationGracePeriodSeconds: 30
    tolerations:
    - effect: NoExecute
      key: node.kubernetes.io/not-ready
      operator: Exists
      tolerationSeconds: 300
${o.spec ?? ''}${volumes}${o.more ?? ''}  status:
    conditions:
    - lastProbeTime: null
      lastTransitionTime: "2025-05-02T08:11:04Z"
      status: "True"
      type: PodScheduled
    phase: ${o.phase ?? 'Running'}
    hostIP: 10.1.2.3
    podIP: 10.244.1.7
    qosClass: BestEffort
    startTime: "2025-05-02T08:11:04Z"
${o.status}`;

export const kubectlEvent = (
  name: string,
  reason: string,
  message: string,
  count = 1,
  container = 'app',
): string => `- apiVersion: v1
  count: ${count}
  eventTime: null
  involvedObject:
    apiVersion: v1
    fieldPath: spec.containers{${container}}
    kind: Pod
    name: ${name}-6d4cf56db6-x2x9z
    namespace: shop
    uid: 22111111-aaaa-4bbb-8ccc-123456789012
  kind: Event
  message: ${JSON.stringify(message)}
  metadata: {name: ${name}.17a, namespace: shop}
  reason: ${reason}
  type: Warning
`;

export const kubectlList = (...items: string[]): string =>
  `apiVersion: v1\nitems:\n${items.join('')}kind: List\nmetadata:\n  resourceVersion: ""\n`;

const ended = (exitCode: number, reason: string, seconds: number) => `
          containerID: containerd://0123456789abcdef
          exitCode: ${exitCode}
          finishedAt: "2025-05-02T09:00:${String(seconds).padStart(2, '0')}Z"
          reason: ${reason}
          startedAt: "2025-05-02T09:00:00Z"
`;
const status = (
  image: string,
  ready: boolean,
  restarts: number,
  state: string,
  last = ' {}\n',
) => `    containerStatuses:
    - containerID: containerd://fedcba9876543210
      image: ${image}
      imageID: ${image}@sha256:0000000000000000000000000000000000000000000000000000000000000001
      lastState:${last}      name: app
      ready: ${ready}
      restartCount: ${restarts}
      started: ${ready}
      state:
${state}`;
const isRunning = '        running:\n          startedAt: "2025-05-02T09:01:00Z"\n';
const waits = (reason: string, message: string) =>
  `        waiting:\n          message: ${JSON.stringify(message)}\n          reason: ${reason}\n`;

export const crashLoopPod = kubectlPod('billing', {
  container: `      env:
      - name: DATABASE_URL
        valueFrom:
          secretKeyRef: {key: url, name: billing-db}
      - name: POD_IP
        valueFrom:
          fieldRef: {apiVersion: v1, fieldPath: status.podIP}
      resources:
        limits: {memory: 256Mi}
        requests: {cpu: 100m, memory: 128Mi}
`,
  status: status(
    'registry.example.com/billing:1.4.2',
    false,
    7,
    waits('CrashLoopBackOff', 'back-off 5m0s restarting failed container=app pod=billing-6d4cf56db6-x2x9z_shop(22)'),
    `\n        terminated:${ended(3, 'Error', 4)}`,
  ),
});

export const pullErrorPod = kubectlPod('search', {
  image: 'registry.example.com/search:typo',
  phase: 'Pending',
  status: status(
    'registry.example.com/search:typo',
    false,
    0,
    waits('ImagePullBackOff', 'Back-off pulling image "registry.example.com/search:typo"'),
  ),
});

export const oomPod = kubectlPod('cache', {
  container: '      resources:\n        limits: {memory: 64Mi}\n        requests: {memory: 64Mi}\n',
  status: status(
    'registry.example.com/cache:1.4.2',
    true,
    2,
    isRunning,
    `\n        terminated:${ended(137, 'OOMKilled', 40)}`,
  ),
});

export const healthyPod = kubectlPod('web', {
  image: 'nginx:1.27',
  container: `      ports:
      - {containerPort: 80, name: http, protocol: TCP}
      livenessProbe:
        failureThreshold: 3
        httpGet: {path: /healthz, port: http, scheme: HTTP}
        periodSeconds: 10
        successThreshold: 1
        timeoutSeconds: 1
      readinessProbe:
        httpGet: {path: /ready, port: http, scheme: HTTP}
        periodSeconds: 5
      lifecycle:
        preStop:
          exec: {command: [/usr/sbin/nginx, -s, quit]}
      resources:
        limits: {nvidia.com/gpu: "1"}
        requests: {cpu: "1", nvidia.com/gpu: "1"}
      securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false}
`,
  spec: '    nodeSelector: {disktype: ssd}\n    imagePullSecrets:\n    - name: registry\n    hypotheticalField: 3\n',
  status: status('docker.io/library/nginx:1.27', true, 0, isRunning),
});

export const livenessPod = kubectlPod('api', {
  container: `      livenessProbe:
        tcpSocket: {port: 8080}
        periodSeconds: 5
        failureThreshold: 2
      resources: {}
`,
  status: status(
    'registry.example.com/api:1.4.2',
    true,
    2,
    isRunning,
    `\n        terminated:${ended(137, 'Error', 20)}`,
  ),
});

export const configErrorPod = kubectlPod('mail', {
  phase: 'Pending',
  container:
    '      env:\n      - name: TOKEN\n        valueFrom:\n          secretKeyRef: {key: token, name: mail-token}\n      resources: {}\n',
  status: status(
    'registry.example.com/mail:1.4.2',
    false,
    0,
    waits('CreateContainerConfigError', 'secret "mail-token" not found'),
  ),
});

export const startErrorPod = kubectlPod('tool', {
  status: status(
    'registry.example.com/tool:1.4.2',
    false,
    4,
    waits(
      'RunContainerError',
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/bin/tool": stat /bin/tool: no such file or directory: unknown',
    ),
  ),
});

/** A Job's: it is done. */
export const donePod = kubectlPod('report', {
  phase: 'Succeeded',
  status: status('registry.example.com/report:1.4.2', false, 0, `        terminated:${ended(0, 'Completed', 12)}`),
}).replace('restartPolicy: Always', 'restartPolicy: Never');
