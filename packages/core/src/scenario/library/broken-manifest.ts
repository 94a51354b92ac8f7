export const brokenManifest = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: broken-manifest
  title:
    en: A manifest that cannot be read
    zh: 无法读取的清单
  summary:
    en: Somebody saves a manifest half finished. The file event only logs an error and the pod goes on. But the periodic list leaves the broken file out, and to PodConfig a pod that is missing from the list is a pod to REMOVE.
    zh: 有人把清单写到一半就保存了。文件事件只记下一条错误，Pod 照常运行；但是定期列目录时会跳过坏文件，而对 PodConfig 来说，列表里少了的 Pod 就要 REMOVE。
spec:
  seed: 1
  node:
    fileCheckFrequency: 15s
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
    - raw:
        file: web.yaml
        text: |
          apiVersion: v1
          kind: Pod
          metadata:
            name: web
          spec:
            containers: [
    # Up to the next list it still runs.
    - wait: 2s
    - assert: { pod: web, phase: Running }
    - waitFor: { pod: web, gone: true, timeout: 30s }
    # A file that is no pod at all does no harm either.
    - raw: { file: notes.yaml, text: "remember the milk" }
    - wait: 2s
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
    - waitFor: { pod: web, phase: Running, timeout: 30s }
    - rmraw: notes.yaml
    - wait: 3s
expect:
  - { pod: web, phase: Running }
  - sequence:
      - { kind: log, where: "severity == 'E' && msg == 'Unable to process watch event'" }
      - { kind: log, where: "severity == 'E' && msg == 'Could not process manifest file'" }
      - { kind: pod-config, where: "op == 'REMOVE'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: pod-config, where: "op == 'ADD' && len(pods) == 1" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
  - records: { kind: pod-config, where: "op == 'REMOVE'", exactly: 1 }
  - records: { kind: actual-container, where: "state == 'running'", exactly: 2 }
`;
