export const runToCompletion = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: run-to-completion
  title:
    en: Pods that end by themselves
    zh: 自行结束的 Pod
  summary:
    en: Three pods do their work and stop. The restart policy decides what comes next - Never ends in Succeeded or Failed, OnFailure tries again. Watch SyncPod find a terminal phase and the worker go on to terminated all by itself.
    zh: 三个 Pod 干完活就停下。接下来怎样由重启策略决定：Never 以 Succeeded 或 Failed 告终，OnFailure 会再试一次。看 SyncPod 发现阶段已是终态，worker 随即自己走到 terminated。
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
          name: backup
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "echo copying; sleep 3; echo done"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: report
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 2; echo no data; exit 3"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: import
        spec:
          restartPolicy: OnFailure
          volumes:
            - name: state
              emptyDir: {}
          containers:
            - name: job
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # Fails the first time. The volume outlives the container, so the second time is better.
              command: ["sh", "-c", "sleep 2; test -f /state/half && exit 0; touch /state/half; exit 1"]
              volumeMounts:
                - name: state
                  mountPath: /state
    - waitFor: { pod: backup, phase: Succeeded, timeout: 20s }
    - waitFor: { pod: report, phase: Failed, timeout: 20s }
    - waitFor: { pod: import, phase: Succeeded, timeout: 30s }
    # The manifests are still there, but nothing is started again.
    - wait: 10s
expect:
  - { pod: backup, phase: Succeeded }
  - { pod: backup, container: job, terminated: Completed, exitCode: 0, atMostRestarts: 0 }
  - { pod: report, phase: Failed }
  - { pod: report, container: job, terminated: Error, exitCode: 3, atMostRestarts: 0 }
  - { pod: import, phase: Succeeded }
  - { pod: import, container: job, terminated: Completed, restarts: 1, atMostRestarts: 1 }
  - event: { reason: Started, exactly: 4 }
  - sequence:
      - { kind: decision, where: "rule == 'SyncPod: terminal' && verdict == 'terminal'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: worker, where: "state == 'terminated'" }
      - { kind: worker, where: "state == 'finished'" }
  - records: { kind: worker, where: "state == 'finished'", exactly: 3 }
  # Nobody had to be stopped, and their records stay as long as their manifests.
  - never: { kind: cri-call, where: "method == 'StopContainer'" }
  - never: { kind: worker, where: "state == 'removed'" }
`;
