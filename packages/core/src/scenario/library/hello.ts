export const hello = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: hello
  title:
    en: Hello, kubelet
    zh: 你好，kubelet
  summary:
    en: One pod with one container starts and goes on running. Watch its way from the manifest file to the runtime, and back as a status; then it is yours to break.
    zh: 一个只有一个容器的 Pod 启动并一直运行。看它如何从清单文件走到容器运行时，状态又如何回来；之后就由你来折腾它。
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
          name: hello
        spec:
          terminationGracePeriodSeconds: 5
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # Says hello every second, and ends at once when it is told to.
              command: ["sh", "-c", "trap 'echo bye; exit 0' TERM; while true; do echo hello; sleep 1; done"]
              lifecycle:
                preStop:
                  exec:
                    command: ["sh", "-c", "echo so long; sleep 1"]
    - waitFor: { pod: hello, phase: Running, timeout: 20s }
    - waitFor: { pod: hello, ready: true, timeout: 10s }
    - wait: 4s
expect:
  - { pod: hello, phase: Running, ready: true }
  - { pod: hello, container: app, running: true, atMostRestarts: 0 }
  # The whole way, from the file to the status.
  - sequence:
      - { kind: source, where: "source == 'file' && len(pods) == 1" }
      - { kind: pod-config, where: "op == 'ADD' && len(pods) == 1" }
      - { kind: enter, where: "fn == 'HandlePodAdditions'" }
      - { kind: worker, where: "state == 'sync'" }
      - { kind: enter, where: "fn == 'SyncPod'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: cri-call, where: "method == 'CreateContainer'" }
      - { kind: cri-call, where: "method == 'StartContainer'" }
      - { kind: pleg-event, where: "type == 'ContainerStarted'" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
      - { kind: status, where: "status.phase == 'Running'" }
  - event: { pod: hello, reason: Started, exactly: 1 }
  - never: { kind: cri-call, where: "method == 'StopContainer'" }
`;
