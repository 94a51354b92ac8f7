const names = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu', 'hen'];

const apply = (name: string): string => `    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: ${name} }
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]`;

export const manyPods = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: many-pods
  title:
    en: Many pods at once
    zh: 许多 Pod 一起来
  summary:
    en: Eight manifests appear at the same moment, and later go at the same moment. There is one loop, but each pod has a worker of its own, so their sandboxes and containers start side by side. Watch the lanes, not the loop.
    zh: 八个清单同时出现，后来又同时消失。循环只有一个，但每个 Pod 都有自己的 worker，所以沙箱和容器是并行启动的。看各条泳道，别只看循环。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
${names.map(apply).join('\n')}
${names.map((n) => `    - waitFor: { pod: ${n}, phase: Running, timeout: 30s }`).join('\n')}
    - wait: 4s
${names.map((n) => `    - delete: ${n}`).join('\n')}
${names.map((n) => `    - waitFor: { pod: ${n}, gone: true, timeout: 30s }`).join('\n')}
    - wait: 4s
expect:
  - { pod: ant, gone: true }
  - { pod: bee, gone: true }
  - { pod: cat, gone: true }
  - { pod: dog, gone: true }
  - { pod: eel, gone: true }
  - { pod: fox, gone: true }
  - { pod: gnu, gone: true }
  - { pod: hen, gone: true }
  - event: { reason: Started, exactly: 8 }
  - event: { reason: Killing, exactly: 8 }
  - records: { kind: worker, where: "state == 'finished'", exactly: 8 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 8 }
  # The second sandbox is asked for before the first is there.
  - sequence:
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: cri-return, where: "method == 'RunPodSandbox'" }
  - event: { type: Warning, reason: Failed, atMost: 0 }
`;
