export const initSidecars = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: init-sidecars
  title:
    en: Init containers and sidecars
    zh: Init 容器与 sidecar
  summary:
    en: How the kubelet finds out, in every pass anew, which init container is next; what a sidecar holds up and what it does not; and when all of them run again.
    zh: kubelet 怎样在每一轮里重新推断下一个该轮到哪个 init 容器；sidecar 会挡住什么、不挡什么；以及什么时候它们全部重来。
  minutes: 8
spec:
  goal:
    en: You can say what \`computePodActions\` will start in the next pass, for any state of a pod with init containers and sidecars.
    zh: 一个带 init 容器和 sidecar 的 Pod，无论处在什么状态，你都能说出 \`computePodActions\` 下一轮会启动什么。
  seed: 1
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: init-sidecars
      title: { en: Init containers and a sidecar between them, zh: 两个 init 容器，中间一个 sidecar }
    spec:
      seed: 1
      node: { fileCheckFrequency: 1s, clusterDNS: ["10.96.0.10"] }
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: shop
            spec:
              terminationGracePeriodSeconds: 5
              volumes:
                - name: tries
                  emptyDir: {}
              initContainers:
                - name: fetch
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "sleep 2"]
                - name: proxy
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  # This makes it a sidecar.
                  restartPolicy: Always
                  command: ["sh", "-c", "sleep 1; touch /tmp/up; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                  startupProbe:
                    exec:
                      command: ["test", "-f", "/tmp/up"]
                    periodSeconds: 1
                - name: migrate
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  # The second time it works.
                  command: ["sh", "-c", "sleep 1; echo try >> /tries/log; test $(grep -c try /tries/log) -ge 2"]
                  volumeMounts:
                    - name: tries
                      mountPath: /tries
              containers:
                - name: app
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - wait: 1h
  steps:
    - title:
        en: A plan for one pass
        zh: 只管这一轮的计划
      text:
        en: |-
          \`shop\` has three init containers, \`fetch\`, \`proxy\` and \`migrate\`, and then \`app\`. \`computePodActions\` plans the first pass: a sandbox, and of all containers only **{{ actions.initContainersToStart[0] }}**.

          \`killPod\` is true though nothing exists. It means that nothing of what there is may stay, and a missing sandbox counts as a changed one.
        zh: |-
          \`shop\` 有三个 init 容器：\`fetch\`、\`proxy\`、\`migrate\`，然后才是 \`app\`。\`computePodActions\` 计划第一轮：建沙箱，所有容器里只启动 **{{ actions.initContainersToStart[0] }}**。

          什么都还没有，\`killPod\` 却是 true。它的意思是现有的一律不留，而没有沙箱也算沙箱变了。
      do:
        - until: "kind == 'pod-actions'"
          pace: fast
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "actions.killPod && actions.createSandbox && actions.initContainersToStart == ['fetch'] && len(actions.containersToStart) == 0"
        - "count(state.sandboxes) == 0"

    - title:
        en: From the last to the first
        zh: 从后往前看
      text:
        en: |-
          The next pass. Nowhere is it stored how far the pod has come: \`computeInitContainerActions\` reads it off the statuses, **from the last** init container to the first. The highest one that has a status decides.

          \`migrate\` and \`proxy\` have none. \`{{ container }}\` has: "{{ verdict }}". So this pass starts nothing.
        zh: |-
          下一轮。Pod 走到哪一步并没有存在什么地方：\`computeInitContainerActions\` 从状态里推断，**从最后一个** init 容器往前看，序号最高的、有状态的那个说了算。

          \`migrate\` 和 \`proxy\` 都没有状态，\`{{ container }}\` 有：“{{ verdict }}”。所以这一轮什么也不启动。
      do:
        - until: "kind == 'decision' && rule == 'computeInitContainerActions' && verdict == 'wait: running'"
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "container == 'fetch'"
        - sequence:
            - { kind: decision, where: "container == 'migrate' && verdict == 'skip: no status'" }
            - { kind: decision, where: "container == 'proxy' && verdict == 'skip: no status'" }
            - { kind: decision, where: "container == 'fetch' && verdict == 'wait: running'" }

    - title:
        en: A sidecar is next
        zh: 接下来是 sidecar
      ask:
        question:
          en: "\`fetch\` has exited with 0, and the PLEG has seen it. \`proxy\` has \`restartPolicy: Always\`, so nobody waits for its end. What does the next pass start?"
          zh: "\`fetch\` 已经以 0 退出，PLEG 也看到了。\`proxy\` 写了 \`restartPolicy: Always\`，没有人等它结束。下一轮启动什么？"
        options:
          - value: both
            text:
              en: "\`proxy\` and \`migrate\`: the one runs beside the other"
              zh: "\`proxy\` 和 \`migrate\`：反正两者并行"
            wrong:
              en: Nobody waits for the end of a sidecar, but for its start. That is known in a later pass at the earliest.
              zh: 不等 sidecar 结束，但要等它启动好，而这最早也要到后面的一轮才知道。
          - value: proxy
            text:
              en: "Only \`proxy\`"
              zh: "只有 \`proxy\`"
          - value: all
            text:
              en: "\`proxy\`, and \`app\` with it, as sidecars start together with the regular containers"
              zh: "\`proxy\`，连同 \`app\`：sidecar 和普通容器一起启动"
            wrong:
              en: A sidecar is an init container with its place in the order. \`app\` has to wait for all three.
              zh: sidecar 是 init 容器，在顺序里有自己的位置。\`app\` 要等三个都过去。
        then:
          - until: "kind == 'pod-actions'"
        answer: "len(actions.containersToStart) > 0 ? 'all' : len(actions.initContainersToStart) > 1 ? 'both' : actions.initContainersToStart[0]"
        right:
          en: Only **{{ actions.initContainersToStart[0] }}**. What follows has to wait for a later pass, in which the sidecar counts as started.
          zh: 只有 **{{ actions.initContainersToStart[0] }}**。排在后面的要等之后的某一轮，那时 sidecar 才算启动好。
      do:
        - until: "kind == 'pleg-event' && type == 'ContainerDied' && name == 'fetch'"
      show: { level: loop, select: { pod: shop } }
      holds:
        - { records: { kind: actual-container, where: "name == 'fetch' && state == 'exited' && exitCode == 0", exactly: 1 } }

    - title:
        en: Running, but not started
        zh: 运行了，但不算启动好
      text:
        en: |-
          \`proxy\` runs, and the verdict on it is "{{ verdict }}". A sidecar with a \`startupProbe\` holds up all that follows until the probe succeeds; without one, running is enough.

          Its readiness and liveness hold up nothing. A sidecar that is never ready does not keep \`app\` from starting.
        zh: |-
          \`proxy\` 在运行，对它的判断是“{{ verdict }}”。有 \`startupProbe\` 的 sidecar 会挡住后面的一切，直到探针成功；没有的话，运行起来就够了。

          就绪和存活探针不挡任何东西：sidecar 一直不就绪，\`app\` 照样启动。
      do:
        - until: "kind == 'decision' && rule == 'computeInitContainerActions' && container == 'proxy' && verdict =~ 'wait*'"
      show: { level: loop, select: { container: proxy, pod: shop } }
      holds:
        - "any(state.containers, c => c.name == 'proxy' && c.state == 'running')"
        - "verdict =~ 'startup probe has not succeeded'"

    - title:
        en: Started
        zh: 启动好了
      text:
        en: |-
          The probe succeeded, \`startupManager\` told the loop, \`HandlePodSyncs\` woke the worker, and this pass starts **{{ actions.initContainersToStart[0] }}**. \`proxy\` goes on beside it.

          The phase is still \`{{ pod.phase }}\` although a container of the pod runs: a plain init container has not finished yet.
        zh: |-
          探针成功了，\`startupManager\` 告诉循环，\`HandlePodSyncs\` 叫醒 worker，这一轮启动 **{{ actions.initContainersToStart[0] }}**。\`proxy\` 在旁边继续运行。

          虽然已经有容器在运行，phase 还是 \`{{ pod.phase }}\`：还有普通的 init 容器没有完成。
      do:
        - until: "kind == 'probe-result' && probeType == 'startup' && result == 'Success'"
        - until: "kind == 'pod-actions'"
      show: { level: loop, select: { pod: shop }, tab: why }
      holds:
        - "actions.initContainersToStart == ['migrate'] && pod.phase == 'Pending'"
        - { sequence: [{ kind: send, where: "channel.name == 'startupManager'" }, { kind: enter, where: "fn == 'HandlePodSyncs'" }, { kind: pod-actions, where: "actions.initContainersToStart == ['migrate']" }] }

    - title:
        en: One of them fails
        zh: 有一个失败了
      ask:
        question:
          en: "\`migrate\` has exited with {{ exitCode }}. The pod's restart policy is the default, \`Always\`. What does the next pass start?"
          zh: "\`migrate\` 以 {{ exitCode }} 退出。Pod 的重启策略是默认的 \`Always\`。下一轮启动什么？"
        options:
          - value: fetch
            text:
              en: "\`fetch\`: the sequence begins again"
              zh: "\`fetch\`：从头再来一遍"
            wrong:
              en: What has succeeded is done. The highest one with a status decides, and that is \`migrate\`.
              zh: 成功过的就算完成了。说了算的是序号最高、有状态的那个，也就是 \`migrate\`。
          - value: none
            text:
              en: Nothing, the pod has failed
              zh: 什么也不启动，Pod 已经失败
            wrong:
              en: So it would be with the restart policy \`Never\`. Then \`computePodActions\` kills the pod.
              zh: 重启策略是 \`Never\` 时才这样，那时 \`computePodActions\` 会杀掉整个 Pod。
          - value: migrate
            text:
              en: "Only \`migrate\`, once more"
              zh: "只有 \`migrate\`，再来一次"
        then:
          - until: "kind == 'pod-actions'"
        answer: "actions.initContainersToStart[0] ?? 'none'"
        right:
          en: "**{{ actions.initContainersToStart[0] }}**. This first restart comes without a pause; after a second failure \`migrate\` would be in back-off like any other container."
          zh: "**{{ actions.initContainersToStart[0] }}**。第一次重启不用等；如果再失败，\`migrate\` 就和别的容器一样进入退避。"
      do:
        - until: "kind == 'actual-container' && name == 'migrate' && state == 'exited'"
      show: { level: loop, select: { container: migrate, pod: shop } }
      holds:
        - "exitCode == 1"

    - title:
        en: The last one, and the app
        zh: 最后一个，然后是 app
      text:
        en: |-
          The second try succeeded. \`migrate\` is the last init container, so the pod counts as initialized, and this time the **same** pass goes on to the regular containers: **{{ actions.containersToStart[0] }}**.

          All passes before ended ahead of the regular containers. The status of \`app\` said \`PodInitializing\` all the while.
        zh: |-
          第二次成功了。\`migrate\` 是最后一个 init 容器，Pod 就算初始化完成，**同一轮**接着处理普通容器：**{{ actions.containersToStart[0] }}**。

          之前的每一轮都没有走到普通容器。\`app\` 的状态一直写着 \`PodInitializing\`。
      do:
        - until: "kind == 'pod-actions' && len(actions.containersToStart) > 0"
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "actions.containersToStart == ['app'] && len(actions.initContainersToStart) == 0"
        - { records: { kind: actual-container, where: "name == 'migrate' && state == 'exited'", exactly: 2 } }
        - { records: { kind: actual-container, where: "name == 'migrate' && attempt == 1 && state == 'exited' && exitCode == 0", exactly: 1 } }
        - { pod: shop, container: app, waiting: PodInitializing }
        - { never: { kind: status, where: "pod.phase == 'Running'" } }

    - title:
        en: The sidecar dies
        zh: sidecar 死了
      ask:
        question:
          en: The pod is \`{{ pod.phase }}\`, and the process of \`proxy\` has just been killed. The PLEG tells of it. What does the pass that follows start?
          zh: Pod 是 \`{{ pod.phase }}\`，\`proxy\` 的进程刚被杀掉，PLEG 通知了。接下来的一轮启动什么？
        options:
          - value: proxy
            text:
              en: "Only \`proxy\`"
              zh: "只有 \`proxy\`"
          - value: order
            text:
              en: "\`proxy\`, then \`migrate\` and \`app\`, to keep the order"
              zh: "\`proxy\`，然后 \`migrate\` 和 \`app\`，以保持顺序"
            wrong:
              en: The order is one of starting. Nothing stops because something before it in the order died.
              zh: 顺序只管启动。排在前面的死了，后面的不会因此停下来。
          - value: none
            text:
              en: Nothing, as init containers are not looked at after the start
              zh: 什么也不启动，启动之后就不管 init 容器了
            wrong:
              en: True of plain ones. Sidecars are tended as long as the pod lives, whatever their exit code and the pod's restart policy.
              zh: 普通的 init 容器确实如此。sidecar 在 Pod 活着期间一直有人照看，不论退出码和 Pod 的重启策略是什么。
        then:
          - until: "kind == 'pod-actions'"
        answer: "len(actions.initContainersToStart) + len(actions.containersToStart) == 0 ? 'none' : len(actions.initContainersToStart) == 1 && len(actions.containersToStart) == 0 ? actions.initContainersToStart[0] : 'order'"
        right:
          en: Only **{{ actions.initContainersToStart[0] }}**. An initialized pod stays so as long as a regular container is there, created or running.
          zh: 只有 **{{ actions.initContainersToStart[0] }}**。只要还有普通容器处于 created 或 running，初始化完成的 Pod 就一直算初始化完成。
      do:
        - until: "kind == 'status' && pod.phase == 'Running'"
        - go: { time: 14s }
        - kill: { pod: shop, container: proxy }
        - until: "kind == 'pleg-event' && type == 'ContainerDied'"
      show: { level: loop, select: { pod: shop } }
      holds:
        - "name == 'proxy' && pod.phase == 'Running'"

    - title:
        en: Run it again
        zh: 让它再跑一次
      exercise:
        text:
          en: "\`fetch\` has run once, and is done. Make it run a second time, without touching the manifest."
          zh: "\`fetch\` 跑过一次，已经完成。不动清单，让它再跑一次。"
        done:
          - { records: { kind: actual-container, where: "name == 'fetch' && state == 'running'", atLeast: 1 } }
          - { never: { kind: pod-config, where: "op in ['UPDATE', 'REMOVE', 'ADD'] && len(pods) > 0" } }
        hint:
          en: Init containers run once per **sandbox**. Something other than a container can be killed.
          zh: init 容器在每个**沙箱**里跑一次。能杀的不只是容器。
        solution:
          - killSandbox: shop
          - until: "kind == 'actual-container' && name == 'fetch' && state == 'running'"

    - title:
        en: Everything from the first
        zh: 一切从头开始
      text:
        en: |-
          The sandbox was gone, so \`computePodActions\` gave up all that was in it: \`killPod\`, a new sandbox, and \`fetch\` first. \`purgeInitContainers\` removed what was left of the old init containers.

          The count lives on: this is attempt {{ attempt }}. Init containers have to bear being run again.
        zh: |-
          沙箱没了，\`computePodActions\` 就放弃里面的一切：\`killPod\`、新建沙箱，先启动 \`fetch\`。\`purgeInitContainers\` 清掉了旧 init 容器的残余。

          计数保留下来：这次的 attempt 是 {{ attempt }}。init 容器必须经得起重跑。
      show: { level: loop, select: { sandbox: shop }, source: computePodActions }
      holds:
        - "attempt == 1"
        - { sequence: [{ kind: actual-sandbox, where: "state == 'notready'" }, { kind: pod-actions, where: "actions.createSandbox && actions.killPod && actions.initContainersToStart == ['fetch']" }, { kind: actual-container, where: "name == 'fetch' && attempt == 0 && state == 'removed'" }, { kind: actual-sandbox, where: "state == 'ready' && attempt == 1" }] }

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          {{ seconds(time) }} s: the pod is ready again, after the same order in its second sandbox.

          Plain init containers run to their end, one by one, once per sandbox. A sidecar counts as passed when it has started, and is restarted as long as the pod lives. All of it is decided anew in each pass, from statuses alone.
        zh: |-
          第 {{ seconds(time) }} 秒：Pod 在第二个沙箱里按同样的顺序走完，又就绪了。

          普通 init 容器逐个运行到结束，每个沙箱一次。sidecar 启动好就算过关，之后只要 Pod 活着就会被重启。这一切在每一轮里重新决定，只看状态。
      do:
        - until: "kind == 'status' && any(pod.status.conditions, c => c.type == 'Ready' && c.status == 'True')"
          pace: fast
      show: { level: loop, select: { pod: shop }, panel: timeline }
      holds:
        - { pod: shop, phase: Running, ready: true }
        - { records: { kind: actual-container, where: "name == 'app' && state == 'running'", exactly: 2 } }
        - { sequence: [{ kind: actual-sandbox, where: "state == 'ready' && attempt == 1" }, { kind: actual-container, where: "name == 'fetch' && state == 'exited'" }, { kind: actual-container, where: "name == 'proxy' && state == 'running'" }, { kind: actual-container, where: "name == 'migrate' && state == 'running'" }, { kind: actual-container, where: "name == 'app' && state == 'running'" }] }
`;
