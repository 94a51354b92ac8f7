export const slowRuntime = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: slow-runtime
  title:
    en: A slow runtime, and several channels ready at once
    zh: 缓慢的运行时，多个通道同时就绪
  summary:
    en: Listing containers takes longer than a second. Housekeeping holds the loop meanwhile, so that ticks, events and probe results pile up, and the select has a real choice. Another seed chooses otherwise.
    zh: 列出容器要花一秒多。housekeeping 期间循环被占住，tick、事件和探针结果堆积起来，select 才真正有得选。换一个种子，选择就不同。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: ready
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # Ready for three seconds, not ready for three.
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do touch /tmp/ready; sleep 3; rm /tmp/ready; sleep 3; done"]
              readinessProbe:
                exec:
                  command: ["cat", "/tmp/ready"]
                periodSeconds: 1
                failureThreshold: 1
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: restless
        spec:
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 4; exit 1"]
    - waitFor: { pod: ready, phase: Running, timeout: 20s }
    - fault: { method: ListContainers, delay: 1200ms }
    - wait: 40s
    - clearFaults:
    - wait: 5s
    - delete: ready
    - delete: restless
    - waitFor: { pod: ready, gone: true, timeout: 30s }
    - waitFor: { pod: restless, gone: true, timeout: 60s }
    - wait: 3s
expect:
  - { pod: ready, gone: true }
  - { pod: restless, gone: true }
  # The select had a choice.
  - records: { kind: select, where: "len(cases) == 8 && len(ready) > 1", atLeast: 3 }
  - records: { kind: log, where: "msg == 'Housekeeping took longer than expected'", atLeast: 5 }
  - records: { kind: probe-result, where: "probeType == 'readiness' && result == 'Failure'", atLeast: 2 }
  - event: { pod: restless, reason: BackOff, atLeast: 1 }
  - event: { pod: ready, reason: Started, exactly: 1 }
`;
