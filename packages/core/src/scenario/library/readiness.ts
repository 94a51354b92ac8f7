export const readiness = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: readiness
  title:
    en: Ready, not ready, ready again
    zh: 就绪、未就绪、再就绪
  summary:
    en: A web server answers its readiness probe, then answers 404 for a while. Unlike liveness, this restarts nothing - follow the result over the readinessManager channel to the pod's Ready condition, down and up again.
    zh: Web 服务器先正常应答就绪探针，然后有一阵子返回 404。和存活探针不同，这不会重启任何东西。跟着结果经 readinessManager 通道走到 Pod 的 Ready 状况，看它变假又变真。
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
          name: web
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: server
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
              command: ["sh", "-c", "mkdir /www; echo ok > /www/ready; exec httpd -f -p 8080 -h /www"]
              ports:
                - containerPort: 8080
              readinessProbe:
                httpGet:
                  path: /ready
                  port: 8080
                periodSeconds: 2
                failureThreshold: 2
    - waitFor: { pod: web, ready: true, timeout: 20s }
    - wait: 3s
    # Overloaded: two failures in a row take it out of service.
    - exec: { pod: web, container: server, command: "rm /www/ready" }
    - waitFor: { pod: web, ready: false, timeout: 10s }
    - wait: 3s
    # One success is enough to be back.
    - exec: { pod: web, container: server, command: "echo ok > /www/ready" }
    - waitFor: { pod: web, ready: true, timeout: 10s }
    - wait: 3s
    - delete: web
    - waitFor: { pod: web, gone: true, timeout: 20s }
    - wait: 3s
expect:
  - { pod: web, gone: true }
  - event: { pod: web, reason: Unhealthy, message: "Readiness probe failed: HTTP probe failed with statuscode: 404", atLeast: 2 }
  - sequence:
      - { kind: probe-result, where: "probeType == 'readiness' && result == 'Success'" }
      - { kind: probe, where: "probeType == 'readiness' && outcome == 'failure' && run == 2" }
      - { kind: probe-result, where: "probeType == 'readiness' && result == 'Failure'" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
      - { kind: probe-result, where: "probeType == 'readiness' && result == 'Success'" }
      - { kind: enter, where: "fn == 'HandlePodSyncs'" }
  - event: { pod: web, reason: Started, exactly: 1 }
  # The one at its removal.
  - event: { pod: web, reason: Killing, exactly: 1 }
`;
