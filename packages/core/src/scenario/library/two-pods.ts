export const twoPods = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: two-pods
  title:
    en: Two pods, one loop
    zh: 两个 Pod，一个循环
  summary:
    en: Creating the container of "slow" takes the runtime six seconds. The loop does not mind - it only hands work to the workers - so "quick", which came later, runs first. Updates for "slow" meanwhile overwrite each other in its one pending slot.
    zh: 运行时创建 slow 的容器要花六秒。循环并不受影响，它只是把活派给 worker，所以后来的 quick 反而先运行。这期间给 slow 的更新在唯一的待处理槽位里互相覆盖。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - fault: { method: CreateContainer, pod: slow, delay: 6s }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: slow
          uid: 11111111-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    # Edits, one after the other, while its worker is busy.
    - wait: 1s
    - edit: { pod: slow, patch: { metadata: { labels: { edit: "1" } } } }
    - wait: 1s
    - edit: { pod: slow, patch: { metadata: { labels: { edit: "2" } } } }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: quick
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: quick, phase: Running, timeout: 4s }
    - assert: { pod: slow, phase: Pending }
    - waitFor: { pod: slow, phase: Running, timeout: 20s }
    - wait: 4s
expect:
  - { pod: quick, phase: Running }
  - { pod: slow, phase: Running }
  - { pod: slow, container: app, running: true, atMostRestarts: 0 }
  - sequence:
      - { kind: enter, where: "fn == 'SyncPod' && args.uid == '11111111-2222-3333-4444-555555555555'" }
      - { kind: pod-update, where: "updateType == 'update' && !overwrote" }
      - { kind: pod-update, where: "updateType == 'update' && overwrote" }
      - { kind: actual-container, where: "state == 'running' && record.uid != '11111111-2222-3333-4444-555555555555'" }
      - { kind: actual-container, where: "state == 'running' && record.uid == '11111111-2222-3333-4444-555555555555'" }
  # Each was created once, whatever came meanwhile.
  - records: { kind: cri-call, where: "method == 'CreateContainer'", exactly: 2 }
`;
