export const apiUnreachable = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: api-unreachable
  title:
    en: The API server cannot be reached
    zh: 连不上 API server
  summary:
    en: For 25 s the node is on its own. Its pods go on, and a container that dies is restarted - the kubelet needs no API server for that. A pod created meanwhile is heard of only when the watch is back, and then the statuses are written, too.
    zh: 有 25 秒，节点只能靠自己。Pod 照常运行，死掉的容器照样重启，这些用不着 API server。期间创建的 Pod 要等 watch 恢复才会得知，状态也是那时才写出去。
spec:
  seed: 1
  node:
    apiServer: true
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: web
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - fault: { api: unreachable, for: 25s }
    - wait: 2s
    - kill: { pod: web, container: app }
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: late
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 10s }
    - waitFor: { pod: late, phase: Running, timeout: 90s }
    - wait: 12s
expect:
  - { pod: web, phase: Running, ready: true }
  - { pod: web, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - { pod: late, phase: Running, ready: true }
  - records: { kind: log, where: "msg == 'Failed to get status for pod'", atLeast: 1 }
  - sequence:
      - { kind: fault, where: "contains(effect, 'cannot be reached')" }
      - { kind: actual-container, where: "state == 'exited' && exitCode == 137" }
      - { kind: actual-container, where: "state == 'running' && attempt == 1" }
      - { kind: pod-config, where: "source == 'api' && op == 'ADD'" }
      - { kind: actual-container, where: "state == 'running' && attempt == 0" }
  # Nothing was taken for an orphan.
  - never: { kind: cri-call, where: "method == 'StopContainer'" }
`;
