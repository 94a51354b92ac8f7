const pod = (name: string, n: number, resources: string): string => `- apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: ${name}
          uid: ${String(n).repeat(8)}-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]${resources}`;

export const qosTiers = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: qos-tiers
  title:
    en: Three QoS classes, three places in the cgroups
    zh: 三种 QoS 等级，cgroup 中的三个位置
  summary:
    en: What a pod requests and is limited to decides its QoS class, and the class where its cgroup is made. The burstable tier's CPU shares are the sum of what its pods request, and are set anew before each new pod and after each that ended.
    zh: Pod 的 request 和 limit 决定它的 QoS 等级，等级又决定它的 cgroup 建在哪里。burstable 一层的 CPU shares 是其中各 Pod request 之和，每来一个新 Pod 之前、每结束一个 Pod 之后都重新设置。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    ${pod(
      'guaranteed',
      1,
      `
              resources:
                requests: { cpu: 500m, memory: 64Mi }
                limits: { cpu: 500m, memory: 64Mi }`,
    )}
    ${pod(
      'burstable',
      2,
      `
              resources:
                requests: { cpu: 250m, memory: 32Mi }`,
    )}
    ${pod('best-effort', 3, '')}
    - waitFor: { pod: guaranteed, phase: Running, timeout: 20s }
    - waitFor: { pod: burstable, phase: Running, timeout: 20s }
    - waitFor: { pod: best-effort, phase: Running, timeout: 20s }
    - wait: 2s
    - delete: burstable
    - waitFor: { pod: burstable, gone: true, timeout: 30s }
    - wait: 3s
expect:
  - { pod: guaranteed, phase: Running }
  - { pod: best-effort, phase: Running }
  - event: { pod: guaranteed, reason: FailedCreatePodContainer, exactly: 0 }
  - sequence:
      - { kind: cgroup, where: "op == 'create' && path == '/kubepods'" }
      - { kind: cgroup, where: "op == 'create' && path == '/kubepods/burstable'" }
      - { kind: cgroup, where: "op == 'update' && path == '/kubepods/burstable' && config.cpuShares == 256" }
      - { kind: cgroup, where: "op == 'create' && path == '/kubepods/burstable/pod22222222-2222-3333-4444-555555555555'" }
      - { kind: cgroup, where: "op == 'update' && path == '/kubepods/burstable' && config.cpuShares == 2" }
  - records: { kind: cgroup, where: "op == 'create' && path == '/kubepods/pod11111111-2222-3333-4444-555555555555' && config.cpuQuota == 50000", exactly: 1 }
  - records: { kind: cgroup, where: "op == 'create' && path == '/kubepods/besteffort/pod33333333-2222-3333-4444-555555555555' && config.cpuShares == 2", exactly: 1 }
  - records: { kind: cgroup, where: "op == 'destroy' && path == '/kubepods/burstable/pod22222222-2222-3333-4444-555555555555'", exactly: 1 }
`;
