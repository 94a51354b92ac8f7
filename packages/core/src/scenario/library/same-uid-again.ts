export const sameUidAgain = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: same-uid-again
  title:
    en: Back again while it is still stopping
    zh: 还没停完又回来了
  summary:
    en: A pod with a fixed uid is removed, and put back while its container is still stopping. A worker never goes backwards, so it finishes first; then housekeeping finds a pod that nobody works for, and creates a new worker.
    zh: 一个 uid 固定的 Pod 被删除，容器还没停完，清单又放回来了。worker 从不后退，所以要先走完；之后 housekeeping 发现有个 Pod 没有 worker，便为它新建一个。
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
          uid: 11111111-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 10
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'sleep 5; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - delete: web
    - wait: 3s
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: web
          uid: 11111111-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 10
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'sleep 5; exit 0' TERM; while true; do sleep 0.2; done"]
    - wait: 5s
    - waitFor: { pod: web, phase: Running, timeout: 30s }
    - wait: 4s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - sequence:
      - { kind: pod-config, where: "op == 'REMOVE'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: pod-config, where: "op == 'ADD'" }
      - { kind: pod-update, where: "updateType == 'create' && contains(dropped, 'restart')" }
      - { kind: worker, where: "state == 'terminated'" }
      - { kind: worker, where: "state == 'finished'" }
      - { kind: worker, where: "state == 'removed'" }
      - { kind: worker, where: "state == 'sync'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
