export const diskPressure = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: disk-pressure
  title:
    en: The node's disk fills up
    zh: 节点磁盘将满
  summary:
    en: Twice something else takes most of the disk. The first time it helps that the eviction manager removes an image nobody uses, and no pod has to go. The second time there is nothing left to remove, so the pod that wrote most, "writer", is evicted; "quiet" stays.
    zh: 别的程序两次占去大部分磁盘。第一次，eviction manager 删除一个没人用的镜像就够了，不必驱逐 Pod。第二次没有可删的了，于是写得最多的 writer 被驱逐，quiet 留下。
spec:
  seed: 1
  node:
    apiServer: true
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
    # Else an image must have been there for two minutes.
    imageMinimumGCAge: 10s
  images:
    - { ref: registry.example/old:1.0, size: 8589934592 }
  steps:
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: writer
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "dd if=/dev/zero of=/tmp/big bs=1M count=12288; sleep 3600"]
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: quiet
          spec:
            terminationGracePeriodSeconds: 2
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: writer, phase: Running, timeout: 20s }
    - waitFor: { pod: quiet, phase: Running, timeout: 20s }
    # It writes 12Gi.
    - wait: 35s
    - fault: { pressure: disk, available: 9% }
    - waitFor: { records: { kind: eviction, where: "phase == 'reclaimed'" }, timeout: 30s }
    - fault: { pressure: disk, available: 8% }
    - waitFor: { pod: writer, phase: Failed, reason: Evicted, timeout: 40s }
    - wait: 15s
expect:
  - { pod: writer, phase: Failed, reason: Evicted }
  - { pod: quiet, phase: Running }
  - event: { reason: EvictionThresholdMet, message: Attempting to reclaim ephemeral-storage, atLeast: 2 }
  - event: { pod: writer, reason: Evicted, message: "The node was low on resource: ephemeral-storage", exactly: 1 }
  - records: { kind: cri-call, where: "method == 'RemoveImage'", atLeast: 1 }
  - records: { kind: eviction, where: "phase == 'evict'", exactly: 1 }
  - sequence:
      - { kind: eviction, where: "phase == 'reclaim' && what == 'containers'" }
      - { kind: eviction, where: "phase == 'reclaim' && what == 'images'" }
      - { kind: actual-image, where: "state == 'removed'" }
      - { kind: eviction, where: "phase == 'reclaimed'" }
      - { kind: eviction, where: "phase == 'rank'" }
      - { kind: eviction, where: "phase == 'evict' && resource == 'ephemeral-storage'" }
`;
