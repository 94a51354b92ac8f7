export const initFailing = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: init-failing
  title:
    en: An init container that fails
    zh: 失败的 init 容器
  summary:
    en: The app must wait until its init container has succeeded. In one pod it fails twice and is tried again after a back-off; in the other, with restartPolicy Never, one failure ends the whole pod.
    zh: 应用容器要等 init 容器成功后才能启动。一个 Pod 里它失败两次，退避后再试；另一个 Pod 的重启策略是 Never，失败一次整个 Pod 就结束。
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
          name: patient
        spec:
          terminationGracePeriodSeconds: 3
          volumes:
            - name: tries
              emptyDir: {}
          initContainers:
            - name: wait-for-db
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              # The third time it works.
              command: ["sh", "-c", "sleep 1; echo try >> /tries/log; test $(grep -c try /tries/log) -ge 3"]
              volumeMounts:
                - name: tries
                  mountPath: /tries
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
    - apply:
        apiVersion: v1
        kind: Pod
        metadata:
          name: strict
        spec:
          restartPolicy: Never
          initContainers:
            - name: check
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "sleep 1; exit 7"]
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sleep", "600"]
    - waitFor: { pod: strict, phase: Failed, timeout: 20s }
    - waitFor: { pod: patient, container: wait-for-db, restarts: 1, timeout: 20s }
    - waitFor: { pod: patient, phase: Running, timeout: 40s }
    - wait: 3s
    - delete: patient
    - waitFor: { pod: patient, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: patient, gone: true }
  - { pod: strict, phase: Failed }
  - { pod: strict, container: check, terminated: Error, exitCode: 7, atMostRestarts: 0 }
  - { pod: strict, container: app, waiting: PodInitializing }
  - event: { pod: patient, reason: BackOff, message: restarting failed container wait-for-db, atLeast: 1 }
  - sequence:
      - { kind: actual-container, where: "name == 'wait-for-db' && attempt == 0 && exitCode == 1" }
      - { kind: actual-container, where: "name == 'wait-for-db' && attempt == 1 && exitCode == 1" }
      - { kind: backoff, where: "container == 'wait-for-db' && active && delay == 10s" }
      - { kind: actual-container, where: "name == 'wait-for-db' && attempt == 2 && exitCode == 0 && state == 'exited'" }
      - { kind: step, where: "fn == 'startContainer' && n == 1 && container == 'app'" }
      - { kind: actual-container, where: "name == 'app' && state == 'running'" }
  - records: { kind: actual-container, where: "name == 'app' && state == 'running'", exactly: 1 }
`;
