export const sidecarOrder = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: sidecar-order
  title:
    en: Who stops last
    zh: 谁最后停
  summary:
    en: A pod with two sidecars is removed. The app is stopped first and takes three seconds; then the sidecars follow in reverse order, the one that started first is the last. Watch the StopContainer calls.
    zh: 删除一个带两个 sidecar 的 Pod。先停应用，它要三秒；然后 sidecar 按相反的顺序停止，最先启动的最后停。注意看 StopContainer 调用的先后。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: order
        spec:
          terminationGracePeriodSeconds: 10
          initContainers:
            - name: vault
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              restartPolicy: Always
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
            - name: proxy
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              restartPolicy: Always
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'sleep 3; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: order, phase: Running, timeout: 20s }
    - wait: 3s
    - delete: order
    - waitFor: { pod: order, gone: true, timeout: 30s }
    - wait: 3s
expect:
  - { pod: order, gone: true }
  - event: { pod: order, reason: Killing, exactly: 3 }
  - sequence:
      - { kind: actual-container, where: "name == 'vault' && state == 'running'" }
      - { kind: actual-container, where: "name == 'proxy' && state == 'running'" }
      - { kind: actual-container, where: "name == 'app' && state == 'running'" }
      - { kind: input, where: "verb == 'delete'" }
      - { kind: actual-container, where: "name == 'app' && state == 'exited'" }
      - { kind: actual-container, where: "name == 'proxy' && state == 'exited'" }
      - { kind: actual-container, where: "name == 'vault' && state == 'exited'" }
      - { kind: actual-sandbox, where: "state == 'notready'" }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 0 && reason == 'Completed'", exactly: 3 }
`;
