export const slowPull = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: slow-pull
  title:
    en: Waiting for a large image
    zh: 等一个大镜像
  summary:
    en: One image is large, the other small, but images are pulled one after the other. The small one waits in the queue - its Pulled event tells both times. A pod whose image is there already passes them both.
    zh: 一个镜像大，一个镜像小，但镜像要一个接一个地拉。小的只好排队，它的 Pulled 事件会写出两个时间。镜像已在节点上的 Pod 则超过它们俩。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  registry:
    - { ref: "registry.example/large:1", answer: serve, size: 80000000, programs: busybox, bytesPerSecond: 10000000 }
    - { ref: "registry.example/small:1", answer: serve, size: 1000000, programs: busybox, bytesPerSecond: 10000000 }
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: large
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: registry.example/large:1
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - wait: 1s
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: small
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: registry.example/small:1
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: local
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: local, phase: Running, timeout: 6s }
    - assert: { pod: small, phase: Pending }
    - waitFor: { pod: large, phase: Running, timeout: 30s }
    - waitFor: { pod: small, phase: Running, timeout: 30s }
    - wait: 4s
expect:
  - { pod: local, phase: Running }
  - { pod: large, phase: Running }
  - { pod: small, phase: Running }
  - event: { pod: large, reason: Pulled, message: Successfully pulled image, exactly: 1 }
  - event: { pod: small, reason: Pulled, message: including waiting, exactly: 1 }
  # One after the other.
  - sequence:
      - { kind: actual-image, where: "image =~ '*large*' && state == 'pulling'" }
      - { kind: actual-image, where: "image =~ '*large*' && state == 'present'" }
      - { kind: actual-image, where: "image =~ '*small*' && state == 'pulling'" }
      - { kind: actual-image, where: "image =~ '*small*' && state == 'present'" }
  - records: { kind: cri-call, where: "method == 'PullImage'", exactly: 2 }
`;
