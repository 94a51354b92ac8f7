export const memoryPressure = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: memory-pressure
  title:
    en: The node is short of memory
    zh: 节点内存紧张
  summary:
    en: Something on the node takes nearly all its memory. The eviction manager ends "hungry", which uses far more than it asked for; with that there is enough again, and "modest" and the static pod "critical" live on. For five minutes the node still says MemoryPressure, so "late", which asks for no memory, is refused.
    zh: 节点上有别的程序占去了几乎所有内存。eviction manager 驱逐 hungry，它用的远多于申请的；这样内存就够了，modest 和静态 Pod critical 继续运行。之后五分钟节点仍报告 MemoryPressure，所以没有申请内存的 late 被拒绝。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: hungry
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                # One block of that size is held in memory.
                command: ["dd", "if=/dev/zero", "of=/dev/null", "bs=200M"]
                resources:
                  requests: { memory: 16Mi }
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
                  requests: { memory: 64Mi }
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
    - waitFor: { pod: hungry, phase: Running, timeout: 20s }
    - waitFor: { pod: modest, phase: Running, timeout: 20s }
    - waitFor: { pod: critical, phase: Running, timeout: 20s }
    - fault: { pressure: memory, available: 40Mi }
    # The eviction manager looks every ten seconds.
    - waitFor: { pod: hungry, phase: Failed, reason: Evicted, timeout: 30s }
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: late
          spec:
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sleep", "600"]
    - waitFor: { pod: late, phase: Failed, timeout: 20s }
    # Another look, and nobody else has to go.
    - wait: 15s
expect:
  - { pod: hungry, phase: Failed, reason: Evicted }
  - { pod: late, phase: Failed, reason: Evicted }
  - { pod: modest, phase: Running }
  - { pod: critical, phase: Running }
  - event: { reason: EvictionThresholdMet, message: Attempting to reclaim memory, exactly: 1 }
  - event: { pod: hungry, reason: Evicted, message: "The node was low on resource: memory. Threshold quantity: 100Mi", exactly: 1 }
  - event: { pod: late, reason: Evicted, message: "The node had condition: [MemoryPressure]", exactly: 1 }
  - records: { kind: eviction, where: "phase == 'evict'", exactly: 1 }
  - sequence:
      - { kind: eviction, where: "phase == 'signals'" }
      - { kind: eviction, where: "phase == 'conditions'" }
      - { kind: eviction, where: "phase == 'rank'" }
      - { kind: eviction, where: "phase == 'evict' && resource == 'memory'" }
      - { kind: eviction, where: "phase == 'evicted'" }
      - { kind: eviction, where: "phase == 'cleaned'" }
`;
