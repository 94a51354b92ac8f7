export const softEviction = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: soft-eviction
  title:
    en: A soft threshold has patience
    zh: 软阈值有耐心
  summary:
    en: Below 1Gi of memory this node waits 25 seconds before it acts, and then gives the pod time to end. A short spike passes without harm. When memory stays short, "hungry" is evicted; it has up to 15 seconds, uses three to say goodbye, and ends by itself.
    zh: 内存低于 1Gi 时，这个节点先等 25 秒，然后还给 Pod 时间收尾。短暂的高峰没有后果。内存一直不足时，hungry 被驱逐；它最多有 15 秒，用三秒告别，自己结束。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
    evictionSoft: { memory.available: 1Gi }
    evictionSoftGracePeriod: { memory.available: 25s }
    evictionMaxPodGracePeriod: 15
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: hungry
          spec:
            terminationGracePeriodSeconds: 30
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "dd if=/dev/zero of=/dev/null bs=700M & trap 'sleep 3; exit 143' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: hungry, phase: Running, timeout: 20s }
    - fault: { pressure: memory, available: 512Mi, for: 15s }
    - wait: 45s
    - assert: { pod: hungry, phase: Running }
    - fault: { pressure: memory, available: 512Mi }
    - waitFor: { pod: hungry, phase: Failed, reason: Evicted, timeout: 60s }
    - wait: 5s
expect:
  - { pod: hungry, phase: Failed, reason: Evicted, container: app, exitCode: 143 }
  - event: { pod: hungry, reason: Evicted, message: "Threshold quantity: 1Gi", exactly: 1 }
  - records: { kind: eviction, where: "phase == 'evict' && gracePeriodSeconds == 15", exactly: 1 }
  - records: { kind: log, where: "msg == 'Eviction manager: eviction criteria not yet met'", atLeast: 3 }
`;
