export const kubeletRestart = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: kubelet-restart
  title:
    en: Restarting the kubelet
    zh: 重启 kubelet
  summary:
    en: The kubelet forgets everything when it restarts, the containers do not notice. The new one lists its manifests, asks the runtime what is there, finds that all is as it should be, and makes no call that changes anything.
    zh: kubelet 一重启就什么都忘了，容器却毫无察觉。新的 kubelet 列出清单，问运行时现在有什么，发现一切正如所愿，于是不发出任何改变现状的调用。
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
        spec:
          terminationGracePeriodSeconds: 2
          initContainers:
            - name: setup
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 1"]
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "touch /tmp/ok; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              readinessProbe:
                exec:
                  command: ["test", "-f", "/tmp/ok"]
                periodSeconds: 2
    - waitFor: { pod: web, ready: true, timeout: 20s }
    # Of what started less than ten seconds ago it would not believe that it was ready.
    - wait: 12s
    - restartKubelet
    - wait: 2s
    - waitFor: { pod: web, ready: true, timeout: 20s }
    - wait: 5s
expect:
  - { pod: web, phase: Running, ready: true }
  - { pod: web, container: app, running: true, atMostRestarts: 0 }
  - { pod: web, container: setup, terminated: Completed, atMostRestarts: 0 }
  - sequence:
      - { kind: process, where: "process == 'kubelet' && state == 'stopped'" }
      - { kind: process, where: "process == 'kubelet' && state == 'started'" }
      - { kind: pod-config, where: "op == 'ADD' && len(pods) == 1" }
      - { kind: pleg-event, where: "type == 'ContainerStarted'" }
      - { kind: work-done, where: "!error" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'CreateContainer'", exactly: 2 }
  - never: { kind: cri-call, where: "method == 'StopContainer'" }
  # Not ready only before its very first probe.
  - records: { kind: probe-result, where: "probeType == 'readiness' && result == 'Failure'", exactly: 1 }
`;
