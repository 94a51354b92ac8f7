export const apiPod = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: api-pod
  title:
    en: A pod from the API server
    zh: 来自 API server 的 Pod
  summary:
    en: The whole life of an ordinary pod. It comes as ADD; each status that the kubelet writes comes back as RECONCILE; a label is an UPDATE; kubectl delete is a DELETE, which only asks for the end. The pod is gone when the kubelet itself deletes it from the API - REMOVE.
    zh: 一个普通 Pod 的一生。它以 ADD 到来；kubelet 写出的每个状态又以 RECONCILE 回来；改标签是 UPDATE；kubectl delete 是 DELETE，只是请求结束。等 kubelet 自己从 API 里把它删掉，它才真正没了，即 REMOVE。
spec:
  seed: 1
  node:
    apiServer: true
    clusterDNS: ["10.96.0.10"]
  steps:
    - wait: 2s
    - apply:
        to: api
        manifest:
          apiVersion: v1
          kind: Pod
          metadata:
            name: web
          spec:
            terminationGracePeriodSeconds: 5
            containers:
              - name: app
                image: localhost/busybox:dev
                imagePullPolicy: IfNotPresent
                command: ["sh", "-c", "trap 'sleep 1; exit 0' TERM; while true; do sleep 0.2; done"]
    - waitFor: { pod: web, phase: Running, timeout: 20s }
    - wait: 3s
    - edit: { pod: web, to: api, patch: { metadata: { labels: { team: blue } } } }
    - wait: 3s
    - delete: { pod: web, to: api }
    - waitFor: { pod: web, gone: true, timeout: 30s }
    - wait: 4s
expect:
  - { pod: web, gone: true }
  - sequence:
      - { kind: pod-config, where: "source == 'api' && op == 'ADD' && len(pods) == 1" }
      - { kind: enter, where: "fn == 'HandlePodAdditions'" }
      - { kind: status, where: "status.phase == 'Pending'" }
      - { kind: pod-config, where: "source == 'api' && op == 'RECONCILE'" }
      - { kind: enter, where: "fn == 'HandlePodReconcile'" }
      - { kind: status, where: "status.phase == 'Running'" }
      - { kind: pod-config, where: "source == 'api' && op == 'UPDATE'" }
      - { kind: enter, where: "fn == 'HandlePodUpdates'" }
      - { kind: pod-config, where: "source == 'api' && op == 'DELETE'" }
      - { kind: enter, where: "fn == 'HandlePodUpdates'" }
      - { kind: worker, where: "state == 'terminating'" }
      - { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '5'" }
      - { kind: worker, where: "state == 'terminated'" }
      - { kind: enter, where: "fn == 'TerminatePod'" }
      - { kind: pod-config, where: "source == 'api' && op == 'REMOVE'" }
      - { kind: enter, where: "fn == 'HandlePodRemoves'" }
  - event: { pod: web, reason: Killing, exactly: 1 }
  - records: { kind: pod-config, where: "op == 'REMOVE'", exactly: 1 }
`;
