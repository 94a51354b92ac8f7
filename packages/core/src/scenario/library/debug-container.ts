export const debugContainer = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: debug-container
  title:
    en: Looking inside with kubectl debug
    zh: 用 kubectl debug 进去看看
  summary:
    en: Somebody adds an ephemeral container to a running pod to have a look inside. It is an UPDATE that starts something and restarts nothing - step 6 of the runtime's SyncPod. When the debug container ends, nobody starts it again.
    zh: 有人往运行中的 Pod 里加了一个临时容器，进去看看。这个 UPDATE 只启动新东西，不重启任何东西，走的是运行时 SyncPod 的第 6 步。临时容器结束后，不会再有人启动它。
spec:
  seed: 1
  node:
    apiServer: true
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        to: api
        manifest:
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
    - edit:
        pod: web
        to: api
        patch:
          spec:
            ephemeralContainers:
              - name: debug
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "ps; sleep 3; exit 1"]
                targetContainerName: app
    - waitFor:
        records: { kind: actual-container, where: "name == 'debug' && state == 'exited'" }
        timeout: 20s
    - wait: 5s
expect:
  - { pod: web, phase: Running, ready: true }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - sequence:
      - { kind: pod-config, where: "source == 'api' && op == 'UPDATE'" }
      - { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 6 && container == 'debug'" }
      - { kind: actual-container, where: "name == 'debug' && state == 'running'" }
      - { kind: actual-container, where: "name == 'debug' && state == 'exited' && exitCode == 1" }
      - { kind: enter, where: "fn == 'computePodActions'" }
  - records: { kind: actual-container, where: "name == 'debug' && state == 'running'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'CreateContainer'", exactly: 2 }
  - never: { kind: cri-call, where: "method == 'StopContainer'" }
`;
