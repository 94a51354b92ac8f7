export const mirrorPod = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: mirror-pod
  title:
    en: The mirror of a static pod
    zh: 静态 Pod 的镜像 Pod
  summary:
    en: On a node of a cluster the kubelet shows its static pods in the API as mirror pods. Somebody deletes the mirror with kubectl - the container does not notice, and the next sync makes a new mirror. Only the file decides.
    zh: 在集群的节点上，kubelet 会在 API 里为静态 Pod 建一个镜像 Pod 供人查看。有人用 kubectl 删掉镜像 Pod，容器毫无察觉，下次同步又建一个新的。说了算的只有文件。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
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
    - wait: 3s
    - delete: { pod: web-node1, to: api }
    - wait: 5s
    - assert: { pod: web, container: app, running: true, atMostRestarts: 0 }
    - delete: web
    - waitFor: { pod: web, gone: true, timeout: 20s }
    - wait: 5s
expect:
  - { pod: web, gone: true }
  - records: { kind: log, where: "msg == 'Creating a mirror pod for static pod'", atLeast: 2 }
  - sequence:
      - { kind: pod-config, where: "source == 'file' && op == 'ADD' && len(pods) == 1" }
      - { kind: step, where: "fn == 'SyncPod' && name == 'mirror pod'" }
      - { kind: pod-config, where: "source == 'api' && op == 'ADD' && len(pods) == 1" }
      # Deleted by somebody, made anew.
      - { kind: pod-config, where: "source == 'api' && op == 'REMOVE'" }
      - { kind: pod-config, where: "source == 'api' && op == 'ADD' && len(pods) == 1" }
      # The file is gone.
      - { kind: pod-config, where: "source == 'file' && op == 'REMOVE'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: pod-config, where: "source == 'api' && op == 'REMOVE'" }
  - event: { pod: web, reason: Started, exactly: 1 }
  - event: { pod: web, reason: Killing, exactly: 1 }
`;
