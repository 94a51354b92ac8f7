export const memoryPressure = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: memory-pressure
  title:
    en: The node is short of memory
    zh: 节点内存紧张
  summary:
    en: While the node reports MemoryPressure, the eviction manager has a word at admission. "best-effort", which asks for no memory, is refused as Evicted; "modest", which asks for some, may come, and so may a static pod, which is critical.
    zh: 节点处于 MemoryPressure 时，eviction manager 在准入时有发言权。best-effort 没有申请内存，以 Evicted 被拒；modest 申请了一些，可以进来；静态 Pod 是关键 Pod，也可以。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - fault: { pressure: memory }
    # The eviction manager looks every ten seconds.
    - wait: 11s
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: best-effort
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sleep", "600"]
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: modest
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                resources:
                  requests: { memory: 32Mi }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: critical
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: best-effort, phase: Failed, timeout: 20s }
    - waitFor: { pod: modest, phase: Running, timeout: 20s }
    - waitFor: { pod: critical, phase: Running, timeout: 20s }
    - wait: 4s
expect:
  - { pod: best-effort, phase: Failed, reason: Evicted }
  - { pod: modest, phase: Running }
  - { pod: critical, phase: Running }
  - event: { pod: best-effort, reason: Evicted, message: "The node had condition: [MemoryPressure]", exactly: 1 }
  - records: { kind: decision, where: "rule == 'canAdmitPod' && verdict == 'Evicted' && values.handler == 'eviction'", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
