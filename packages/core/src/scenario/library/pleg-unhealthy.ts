export const plegUnhealthy = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: pleg-unhealthy
  title:
    en: PLEG is not healthy
    zh: PLEG 不健康
  summary:
    en: ListPodSandbox fails, so no relist succeeds. After three minutes the loop skips its rounds with the well-known message. A manifest that comes meanwhile waits in configCh; one good relist, and everything goes on.
    zh: ListPodSandbox 一直出错，relist 一次也成功不了。三分钟后循环开始跳过，打出那条有名的消息。这期间来的清单在 configCh 里等着；只要一次 relist 成功，一切照旧。
spec:
  seed: 1
  node:
    fileCheckFrequency: 20s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
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
    - wait: 2s
    - fault: { method: ListPodSandbox, error: { code: ResourceExhausted, message: message is too large } }
    - wait: 190s
    - apply:
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
    - wait: 10s
    - clearFaults
    - waitFor: { pod: late, phase: Running, timeout: 30s }
    - waitFor: { pod: web, phase: Running, timeout: 10s }
    - wait: 4s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - { pod: late, phase: Running }
  - records: { kind: log, where: "msg == 'Skipping pod synchronization' && contains(kv.err, 'PLEG is not healthy')", atLeast: 3 }
  - sequence:
      - { kind: log, where: "severity == 'E' && msg == 'GenericPLEG: Unable to retrieve pods'" }
      - { kind: runtime-state, where: "contains(text(errors), 'PLEG is not healthy: pleg was last seen active 3m')" }
      - { kind: log, where: "msg == 'Skipping pod synchronization'" }
      - { kind: input, where: "verb == 'apply'" }
      - { kind: input, where: "verb == 'clearFaults'" }
      - { kind: relist }
      - { kind: enter, where: "fn == 'HandlePodAdditions'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
`;
