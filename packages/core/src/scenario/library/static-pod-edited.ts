export const staticPodEdited = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: static-pod-edited
  title:
    en: Editing the manifest of a static pod
    zh: 修改静态 Pod 的清单
  summary:
    en: A static pod's uid is a hash of its manifest, so an edit is a REMOVE and an ADD - two pods of the same name. The new one may not start before the old one has terminated; its worker looks again every 10 to 15 s. A version that is edited away meanwhile never starts.
    zh: 静态 Pod 的 uid 是清单内容的哈希，所以改一改就等于 REMOVE 加 ADD，前后是两个同名的 Pod。旧的没有终止，新的就不能启动；它的 worker 每 10 到 15 秒再看一次。等待中又被改掉的那一版，永远不会启动。
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
          name: web
        spec:
          terminationGracePeriodSeconds: 10
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # It takes four seconds to stop.
              command: ["sh", "-c", "trap 'sleep 4; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - edit: { pod: web, patch: { metadata: { labels: { version: "2" } } } }
    - wait: 2s
    # The second version has not started yet, and never will.
    - edit: { pod: web, patch: { metadata: { labels: { version: "3" } } } }
    # The first is gone by now, the third still waits for its turn.
    - wait: 6s
    - assert: { pod: web, phase: Pending }
    - waitFor: { pod: web, phase: Running, timeout: 30s }
    - wait: 3s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - sequence:
      - { kind: pod-config, where: "op == 'ADD' && len(pods) == 1" }
      - { kind: pod-config, where: "op == 'REMOVE'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: decision, where: "rule == 'allowPodStart' && verdict == 'not yet'" }
      - { kind: actual-container, where: "state == 'exited'" }
      - { kind: worker, where: "state == 'finished'" }
      - { kind: decision, where: "rule == 'allowPodStart' && verdict == 'start'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
  - records: { kind: pod-config, where: "op == 'ADD' && len(pods) == 1", exactly: 3 }
  # The second version was told to go before it could start.
  - records: { kind: worker, where: "from == 'terminating' && state == 'finished'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
  - never: { kind: pod-config, where: "op == 'UPDATE'" }
`;
