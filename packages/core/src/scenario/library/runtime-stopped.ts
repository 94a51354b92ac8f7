export const runtimeStopped = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: runtime-stopped
  title:
    en: The runtime is away
    zh: 运行时不在了
  summary:
    en: containerd is stopped for 50 s; the containers go on without it. After 30 s without a good Status call the loop skips its rounds - "container runtime is down". A container that ends meanwhile is found and restarted when the runtime is back.
    zh: containerd 停了 50 秒，容器没有它照样运行。30 秒没有一次正常的 Status 调用，循环就开始跳过：container runtime is down。这期间结束的容器，要等运行时回来才被发现并重启。
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
          name: steady
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: brief
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # Ends while nobody looks, and the second time goes on.
              command: ["sh", "-c", "test -f /state/once && exec sleep 600; touch /state/once; sleep 20; exit 1"]
              volumeMounts:
                - { name: state, mountPath: /state }
          volumes:
            - { name: state, emptyDir: {} }
    - waitFor: { pod: steady, phase: Running, timeout: 20s }
    - waitFor: { pod: brief, phase: Running, timeout: 20s }
    - wait: 3s
    - stopRuntime
    - wait: 50s
    - startRuntime
    - waitFor: { pod: brief, container: app, restarts: 1, timeout: 30s }
    - waitFor: { pod: brief, phase: Running, timeout: 20s }
    - waitFor: { pod: steady, phase: Running, timeout: 20s }
    - wait: 5s
expect:
  - { pod: steady, phase: Running }
  - { pod: steady, container: app, running: true, atMostRestarts: 0 }
  - { pod: brief, phase: Running }
  - { pod: brief, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - sequence:
      - { kind: process, where: "process == 'containerd' && state == 'stopped'" }
      - { kind: runtime-state, where: "contains(text(errors), 'container runtime is down')" }
      - { kind: log, where: "msg == 'Skipping pod synchronization'" }
      - { kind: process, where: "process == 'containerd' && state == 'started'" }
      - { kind: runtime-state, where: "len(errors) == 0" }
      - { kind: pleg-event, where: "type == 'ContainerDied'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
  - records: { kind: runtime-state, where: "backoff == 5s", atLeast: 1 }
`;
