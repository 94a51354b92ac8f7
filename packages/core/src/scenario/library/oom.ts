export const oom = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: oom
  title:
    en: Out of memory
    zh: 内存不足
  summary:
    en: The container takes more and more memory until it passes its limit. It is the kernel that kills it, with exit code 137 and reason OOMKilled; the kubelet only learns of it from the PLEG, and starts it again.
    zh: 容器占用的内存越来越多，直到超过限制。杀掉它的是内核，退出码 137，原因 OOMKilled；kubelet 只是从 PLEG 得知此事，再把它启动起来。
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
          name: hungry
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # Twice as much every half a second.
              command: ["sh", "-c", "x=0123456789abcdef; while true; do x=$x$x; sleep 0.5; done"]
              resources:
                limits:
                  memory: 1Mi
    - waitFor: { pod: hungry, phase: Running, timeout: 20s }
    - waitFor: { pod: hungry, container: app, terminated: OOMKilled, timeout: 30s }
    - waitFor: { pod: hungry, container: app, restarts: 1, timeout: 20s }
    # The next time there is a back-off between the end and the start.
    - waitFor: { pod: hungry, container: app, restarts: 2, timeout: 60s }
    - wait: 2s
    - delete: hungry
    - waitFor: { pod: hungry, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: hungry, gone: true }
  - records: { kind: actual-container, where: "state == 'exited' && exitCode == 137 && reason == 'OOMKilled'", atLeast: 2 }
  - sequence:
      - { kind: actual-container, where: "reason == 'OOMKilled'" }
      - { kind: pleg-event, where: "type == 'ContainerDied'" }
      - { kind: status, where: "contains(text(status), 'OOMKilled')" }
      - { kind: actual-container, where: "state == 'running' && attempt == 1" }
      - { kind: backoff, where: "active && delay == 10s" }
      - { kind: actual-container, where: "state == 'running' && attempt == 2" }
  - event: { pod: hungry, reason: BackOff, atLeast: 1 }
  # It was not the kubelet: it stops the container only when the pod is removed.
  - event: { pod: hungry, reason: Killing, atMost: 1 }
`;
