export const volumeMissing = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: volume-missing
  title:
    en: A volume that is not there yet
    zh: 还不存在的卷
  summary:
    en: The pod wants a folder of the host that does not exist. SyncPod waits at its volume step and never comes to the runtime - not even a sandbox is made. Then another pod makes the folder, and the mount's next try finds it.
    zh: Pod 要用主机上一个不存在的目录。SyncPod 停在等待卷的那一步，根本到不了运行时，连沙箱都没建。后来另一个 Pod 建了这个目录，挂载重试时就找到了它。
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
          name: reader
        spec:
          terminationGracePeriodSeconds: 2
          volumes:
            - name: data
              hostPath: { path: /srv/data, type: Directory }
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              volumeMounts:
                - { name: data, mountPath: /data }
    - wait: 5s
    - assert:
        - { pod: reader, phase: Pending }
        - never: { kind: cri-call, where: "method == 'RunPodSandbox'" }
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: maker
        spec:
          terminationGracePeriodSeconds: 2
          volumes:
            - name: data
              hostPath: { path: /srv/data, type: DirectoryOrCreate }
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
              volumeMounts:
                - { name: data, mountPath: /data }
    - waitFor: { pod: maker, phase: Running, timeout: 20s }
    - waitFor: { pod: reader, phase: Running, timeout: 60s }
    - wait: 4s
expect:
  - { pod: maker, phase: Running }
  - { pod: reader, phase: Running }
  - event: { pod: reader, reason: FailedMount, message: /srv/data is not a directory, atLeast: 2 }
  - event: { pod: maker, reason: FailedMount, atMost: 0 }
  - sequence:
      - { kind: step, where: "fn == 'SyncPod' && name == 'volumes'" }
      - { kind: kube-event, where: "reason == 'FailedMount'" }
      # The maker's, then the reader's.
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
      - { kind: actual-container, where: "state == 'running'" }
      - { kind: cri-call, where: "method == 'RunPodSandbox'" }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 }
`;
