export const updateInPlace = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: update-in-place
  title:
    en: What an UPDATE changes, and what it does not
    zh: UPDATE 改变什么，不改变什么
  summary:
    en: This manifest names its own uid, so edits are UPDATEs of one pod. A new label restarts nothing, nor would a new command. A new image changes the container's hash, and only that container is killed and started again.
    zh: 这个清单写明了 uid，所以每次修改都是对同一个 Pod 的 UPDATE。换标签不会重启任何东西，换命令也不会；换镜像会改变容器的哈希，于是只有那个容器被杀掉并重新启动。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  images:
    - { ref: "example.org/app:1", programs: busybox }
    - { ref: "example.org/app:2", programs: busybox }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: web
          uid: 11111111-2222-3333-4444-555555555555
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: example.org/app:1
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
            - name: logs
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - edit: { pod: web, patch: { metadata: { labels: { team: blue } } } }
    - wait: 5s
    # Nothing was touched.
    - assert:
        - { pod: web, container: app, running: true, atMostRestarts: 0 }
        - never: { kind: cri-call, where: "method == 'StopContainer'" }
    # Another image: only name and image are part of the hash.
    - edit:
        pod: web
        patch:
          spec:
            containers:
              - name: app
                image: example.org/app:2
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.5; done"]
              - name: logs
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.5; done"]
    - waitFor: { pod: web, container: app, restarts: 1, timeout: 20s }
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
expect:
  - { pod: web, phase: Running }
  - { pod: web, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - { pod: web, container: logs, running: true, atMostRestarts: 0 }
  - records: { kind: pod-config, where: "op == 'UPDATE'", exactly: 2 }
  - records: { kind: enter, where: "fn == 'HandlePodUpdates'", exactly: 2 }
  - event: { pod: web, reason: Killing, message: "Container app definition changed, will be restarted", exactly: 1 }
  - sequence:
      - { kind: pod-config, where: "op == 'UPDATE'" }
      - { kind: pod-config, where: "op == 'UPDATE'" }
      - { kind: cri-call, where: "method == 'StopContainer'" }
      - { kind: cri-call, where: "method == 'CreateContainer'" }
  - records: { kind: cri-call, where: "method == 'StopContainer'", exactly: 1 }
  - never: { kind: pod-config, where: "op == 'REMOVE'" }
`;
