export const sandboxKilled = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: sandbox-killed
  title:
    en: The sandbox dies
    zh: 沙箱死了
  summary:
    en: The process that holds the pod's network is killed. Everything has to go - computePodActions says "sandbox changed", what still runs is stopped, a new sandbox with a new address is made, and the pod begins again with its init container.
    zh: 维持 Pod 网络的那个进程被杀掉了。一切都要重来：computePodActions 判定沙箱已变，仍在运行的容器被停掉，建立带有新地址的新沙箱，Pod 从 init 容器重新开始。
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
          name: shop
        spec:
          terminationGracePeriodSeconds: 3
          initContainers:
            - name: setup
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "echo setting up; sleep 1"]
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: shop, phase: Running, timeout: 20s }
    - wait: 5s
    - killSandbox: shop
    - waitFor: { pod: shop, container: app, restarts: 1, timeout: 60s }
    - waitFor: { pod: shop, phase: Running, timeout: 20s }
    - wait: 5s
expect:
  - { pod: shop, phase: Running }
  - { pod: shop, container: app, running: true, restarts: 1, atMostRestarts: 1 }
  - { pod: shop, container: setup, terminated: Completed, restarts: 1, atMostRestarts: 1 }
  - event: { pod: shop, reason: SandboxChanged, exactly: 1 }
  - sequence:
      - { kind: input, where: "verb == 'killSandbox'" }
      - { kind: pleg-transition, where: "sandbox && new == 'exited'" }
      - { kind: decision, where: "rule == 'PodSandboxChanged' && verdict == 'changed'" }
      - { kind: cri-call, where: "method == 'StopPodSandbox'" }
      - { kind: actual-sandbox, where: "attempt == 1 && state == 'ready'" }
      - { kind: step, where: "name == 'sandbox ready callback'" }
      - { kind: actual-container, where: "name == 'setup' && attempt == 1 && state == 'exited'" }
      - { kind: actual-container, where: "name == 'app' && attempt == 1 && state == 'running'" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
