export const containerKilled = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: container-killed
  title:
    en: Somebody kills a container
    zh: 有人杀掉了容器
  summary:
    en: One of two containers is killed behind the kubelet's back. Follow the news - the PLEG's relist finds the change, ContainerDied goes over plegCh, the worker restarts just this container. The second kill costs a back-off of 10 s.
    zh: 两个容器中的一个被人绕过 kubelet 杀掉。跟着消息走：PLEG 的 relist 发现变化，ContainerDied 经过 plegCh，worker 只重启这一个容器。第二次被杀，就要先退避 10 秒。
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
          name: pair
        spec:
          terminationGracePeriodSeconds: 3
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
            - name: other
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: pair, phase: Running, timeout: 20s }
    - wait: 3s
    - kill: { pod: pair, container: app }
    - waitFor: { pod: pair, container: app, restarts: 1, timeout: 10s }
    - wait: 3s
    - kill: { pod: pair, container: app }
    - waitFor: { pod: pair, container: app, restarts: 2, timeout: 30s }
    - waitFor: { pod: pair, phase: Running, timeout: 10s }
    - wait: 3s
expect:
  - { pod: pair, phase: Running }
  - { pod: pair, container: app, restarts: 2, atMostRestarts: 2, exitCode: 137 }
  - { pod: pair, container: other, running: true, atMostRestarts: 0 }
  - sequence:
      - { kind: input, where: "verb == 'kill'" }
      - { kind: actual-container, where: "state == 'exited' && exitCode == 137" }
      - { kind: pleg-transition, where: "old == 'running' && new == 'exited'" }
      - { kind: pleg-event, where: "type == 'ContainerDied'" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
      # The second time.
      - { kind: input, where: "verb == 'kill'" }
      - { kind: backoff, where: "of == 'crash-loop' && active && delay == 10s" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
  - event: { pod: pair, reason: BackOff, atLeast: 1 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 }
`;
