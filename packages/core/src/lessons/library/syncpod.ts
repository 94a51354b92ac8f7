export const syncpod = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: syncpod
  title:
    en: SyncPod, step by step
    zh: 一步一步看 SyncPod
  summary:
    en: One round of SyncPod on a new pod, one with nothing to do, and one after a new image. What comes before the runtime is asked, and how computePodActions decides all of it beforehand.
    zh: SyncPod 的三轮：新 Pod 的一轮、无事可做的一轮、换了镜像的一轮。请求运行时之前要做什么，computePodActions 又怎样事先定下一切。
  minutes: 10
spec:
  goal:
    en: You can put the steps of \`SyncPod\` in order, and say from a pod's state what \`computePodActions\` will plan.
    zh: 你能按顺序说出 \`SyncPod\` 的步骤，并能根据 Pod 的状态说出 \`computePodActions\` 会计划什么。
  scenario: update-in-place
  seed: 1
  steps:
    - title:
        en: The same call for everything
        zh: 什么事都是这一个调用
      text:
        en: |-
          The worker of \`web\` calls \`SyncPod\`; the type is \`{{ args.updateType }}\`. For an edit, a dead container or the periodic resync it is the same call.

          It is not told what has happened. It gets a pod as it should be and a status as the PLEG last saw it, and brings the second in line with the first. So a lost or doubled update does no harm.
        zh: |-
          \`web\` 的 worker 调用 \`SyncPod\`，类型是 \`{{ args.updateType }}\`。清单修改、容器死掉、定期重新同步，都是同一个调用。

          没有人告诉它发生了什么。它拿到的是 Pod 应有的样子，和 PLEG 最近看到的状态，然后让后者符合前者。所以更新丢一个或多一个都无妨。
      do:
        - until: "kind == 'enter' && fn == 'SyncPod'"
          pace: fast
      show: { level: loop, select: { pod: web }, source: SyncPod }
      holds:
        - "args.updateType == 'create' && goroutine.name == 'podWorker default/web-node1'"

    - title:
        en: First, is it over?
        zh: 先问：结束了吗
      text:
        en: |-
          Steps 1 to 4 (upstream gives no numbers here): \`generateAPIPodStatus\` makes of the runtime's status what the API will show, and \`getPhase\` comes to \`{{ values.phase }}\`.

          So the round goes on. For \`Succeeded\` or \`Failed\` the round would end now, without touching network, volumes or runtime, and the worker would go on to \`terminating\`.
        zh: |-
          第 1 到 4 步（上游这里没有编号）：\`generateAPIPodStatus\` 把运行时的状态变成 API 里看到的样子，\`getPhase\` 得出 \`{{ values.phase }}\`。

          所以这一轮继续。如果是 \`Succeeded\` 或 \`Failed\`，这一轮就到此为止，网络、卷、运行时都不碰，worker 转入 \`terminating\`。
      do:
        - until: "kind == 'decision' && rule == 'SyncPod: terminal'"
      show: { level: loop, select: { pod: web }, source: SyncPod }
      holds:
        - "values.phase == 'Pending' && verdict == 'goes on'"
        - "state.pods['web'].steps[-1].n == 4"

    - title:
        en: The status comes first
        zh: 先写状态
      text:
        en: |-
          Step {{ state.pods['web'].steps[-1].n }}, \`{{ state.pods['web'].steps[-1].name }}\`: version {{ version }} goes to the status manager, with phase \`{{ state.pods['web'].phase }}\` and waiting containers.

          Nothing has been started yet. A round reports what it found, not what it is going to do.
        zh: |-
          第 {{ state.pods['web'].steps[-1].n }} 步 \`{{ state.pods['web'].steps[-1].name }}\`：版本 {{ version }} 交给 status manager，阶段是 \`{{ state.pods['web'].phase }}\`，容器都在等待。

          这时什么都还没启动。一轮报告的是它看到的，不是它将要做的。
      do:
        - until: "kind == 'status'"
      show: { level: loop, select: { part: status } }
      holds:
        - "state.pods['web'].steps[-1].n == 5 && state.pods['web'].phase == 'Pending' && version == 1"
        - { never: { kind: cri-call, where: "method == 'RunPodSandbox'" } }

    - title:
        en: What the containers need
        zh: 容器需要的东西
      text:
        en: |-
          Steps 6 to 13, in this order: network ready? - register secrets and ConfigMaps - cgroup - mirror pod - directories - volumes - pull secrets - probes. If the network, the cgroup, the directories or the volumes fail, the round ends with an error, before any container.

          Step {{ n }} calls the runtime's part.
        zh: |-
          第 6 到 13 步依次是：网络就绪没有、登记 Secret 和 ConfigMap、cgroup、mirror pod、目录、卷、拉取用的 Secret、探针。网络、cgroup、目录或卷出错，这一轮就以错误结束，容器还没轮到。

          第 {{ n }} 步调用运行时那一部分。
      do:
        - until: "kind == 'step' && fn == 'SyncPod' && n == 14"
      show: { level: loop, select: { pod: web }, source: SyncPod }
      holds:
        - "record.name == 'container runtime'"
        - { sequence: [{ kind: step, where: "n == 6 && record.name == 'network check'" }, { kind: step, where: "n == 7 && contains(record.name, 'secrets')" }, { kind: step, where: "n == 8 && record.name == 'pod cgroup'" }, { kind: step, where: "n == 9 && record.name == 'mirror pod'" }, { kind: step, where: "n == 10 && record.name == 'data directories'" }, { kind: step, where: "n == 11 && record.name == 'volumes'" }, { kind: step, where: "n == 12 && record.name == 'pull secrets'" }, { kind: step, where: "n == 13 && record.name == 'probes'" }] }

    - title:
        en: A plan for a new pod
        zh: 新 Pod 的计划
      ask:
        question:
          en: Step 1 of the runtime's part is \`computePodActions\`. It makes a plan and changes nothing. \`web\` has no sandbox and no container yet. What does the plan say of \`killPod\`?
          zh: 运行时那一部分的第 1 步是 \`computePodActions\`，它只定计划，什么也不改。\`web\` 还没有沙箱，也没有容器。计划里的 \`killPod\` 是什么？
        options:
          - value: false
            text:
              en: "\`false\`, there is nothing to kill"
              zh: "\`false\`，没有东西可杀"
            wrong:
              en: There is not, but the plan does not look at that. \`killPod\` and \`createSandbox\` both begin with the answer to one question - is another sandbox needed?
              zh: 确实没有，但计划不看这个。\`killPod\` 和 \`createSandbox\` 的初值来自同一个问题：需不需要另一个沙箱？
          - value: true
            text:
              en: "\`true\`"
              zh: "\`true\`"
        then:
          - until: "kind == 'pod-actions'"
        answer: actions.killPod
        right:
          en: "\`{{ actions.killPod }}\`, as is \`createSandbox\`. Step 2 will run, find nothing, and make no CRI call. {{ len(actions.containersToStart) }} containers are to be started in a sandbox with attempt {{ actions.attempt }}."
          zh: "\`{{ actions.killPod }}\`，\`createSandbox\` 也是。第 2 步会执行，但什么也找不到，不发任何 CRI 调用。要在 attempt 为 {{ actions.attempt }} 的沙箱里启动 {{ len(actions.containersToStart) }} 个容器。"

    - name: nine
      title:
        en: Nine steps, four left out
        zh: 九步，跳过四步
      text:
        en: |-
          Upstream numbers nine: 1 compute, 2 kill the pod or 3 kill single containers, 4 create the sandbox, 5 report it ready, 6 ephemeral containers, 7 init containers, 8 resize, 9 regular containers.

          Here 1, 2, 4, 5 came, and now {{ n }} for \`{{ container }}\`. The others had nothing to do; 2 and 3 exclude each other.
        zh: |-
          上游编号的有九步：1 计算，2 杀掉整个 Pod 或 3 只杀个别容器，4 建沙箱，5 报告沙箱就绪，6 临时容器，7 init 容器，8 调整资源，9 普通容器。

          这里走了 1、2、4、5，现在是第 {{ n }} 步，容器 \`{{ container }}\`。其余的没有事做；2 和 3 只会走一个。
      do:
        - until: "kind == 'step' && fn == 'kuberuntime.SyncPod' && n == 9"
      show: { level: loop, select: { sandbox: web }, source: kuberuntime.SyncPod }
      holds:
        - "container == 'app'"
        - { sequence: [{ kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 1" }, { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 2" }, { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 4" }, { kind: cri-call, where: "method == 'RunPodSandbox'" }, { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 5" }] }
        - { records: { kind: step, where: "fn == 'kuberuntime.SyncPod'", exactly: 5 } }
        - { never: { kind: cri-call, where: "method in ['StopContainer', 'StopPodSandbox']" } }

    - title:
        en: One after the other
        zh: 一个接一个
      text:
        en: |-
          {{ seconds(time) }} s: step {{ n }} again, for \`{{ container }}\`. It had to wait: regular containers start one by one, in the order of the spec, each with pull, create, start and postStart.

          It does not wait for \`app\` to be ready. And if \`app\` had failed to start, \`{{ container }}\` would have its turn just the same.
        zh: |-
          第 {{ seconds(time) }} 秒：又是第 {{ n }} 步，容器 \`{{ container }}\`。它得等：普通容器按 spec 里的顺序一个一个启动，每个都走完拉镜像、创建、启动和 postStart。

          它并不等 \`app\` 就绪。而且就算 \`app\` 启动失败，也照样轮到 \`{{ container }}\`。
      do:
        - until: "kind == 'step' && fn == 'kuberuntime.SyncPod' && n == 9"
      show: { level: loop, select: { container: app, pod: web } }
      holds:
        - "container == 'logs'"
        - "len(state.containers) == 1 && first(state.containers, c => c.name == 'app').state == 'running'"

    - title:
        en: The end of the round
        zh: 一轮结束
      text:
        en: |-
          \`SyncPod\` has returned without an error, and {{ count(state.containers, c => c.state == 'running') }} containers run. The pod's phase is still \`{{ state.pods['web'].phase }}\`.

          No status was written after the start: that takes another round, with a status from the PLEG. That is why a start is always followed by at least one round that does nothing.
        zh: |-
          \`SyncPod\` 没有出错，返回了，{{ count(state.containers, c => c.state == 'running') }} 个容器在运行。Pod 的阶段却还是 \`{{ state.pods['web'].phase }}\`。

          启动之后没有再写状态，那要等下一轮，用 PLEG 的新状态来写。所以每次启动之后，至少还有一轮什么也不做。
      do:
        - until: "kind == 'exit' && fn == 'SyncPod'"
      show: { level: loop, select: { pod: web }, source: SyncPod }
      holds:
        - "count(state.containers, c => c.state == 'running') == 2 && state.pods['web'].phase == 'Pending'"
        - "record.error == null && state.pods['web'].steps[-1].n == 15"

    - title:
        en: Nothing to do
        zh: 无事可做
      text:
        en: |-
          {{ seconds(time) }} s: the manifest got a label, and \`SyncPod\` has run again, all of its {{ state.pods['web'].steps[-1].n }} steps. The plan was empty: kill {{ len(state.pods['web'].actions.containersToKill) }}, start {{ len(state.pods['web'].actions.containersToStart) }}, keep both.

          The worker made no CRI call at all. What it knows of the runtime, it knows from the cache.
        zh: |-
          第 {{ seconds(time) }} 秒：清单加了个标签，\`SyncPod\` 又走了一遍，全部 {{ state.pods['web'].steps[-1].n }} 步。计划是空的：杀 {{ len(state.pods['web'].actions.containersToKill) }} 个，启动 {{ len(state.pods['web'].actions.containersToStart) }} 个，两个都保留。

          worker 一次 CRI 调用也没有。运行时的情况，它都是从缓存里知道的。
      do:
        - until: "kind == 'exit' && fn == 'SyncPod' && time > 4s"
          pace: fast
      show: { level: loop, select: { pod: web }, source: computePodActions }
      holds:
        - "len(state.pods['web'].actions.containersToKill) == 0 && len(state.pods['web'].actions.containersToStart) == 0 && !state.pods['web'].actions.killPod"
        - { never: { kind: cri-call, where: "goroutine.name == 'podWorker default/web-node1' && time > 4s" } }
        - { records: { kind: decision, where: "rule == 'computePodActions' && verdict == 'keep' && time > 4s", exactly: 2 } }

    - title:
        en: Another image, another command
        zh: 换镜像，换命令
      ask:
        question:
          en: The manifest has been edited - \`app\` gets another image and another command, \`logs\` only another command. What will the plan kill?
          zh: 清单改了：\`app\` 换了镜像也换了命令，\`logs\` 只换了命令。计划会杀掉什么？
        options:
          - value: app
            text:
              en: Only \`app\`
              zh: 只杀 \`app\`
          - value: both
            text:
              en: "\`app\` and \`logs\`"
              zh: "\`app\` 和 \`logs\`"
            wrong:
              en: The hash of a container covers its name and its image, nothing else. \`logs\` runs on with its old command until something else restarts it.
              zh: 容器的哈希只由名字和镜像算出。\`logs\` 会带着旧命令继续运行，直到别的原因让它重启。
          - value: pod
            text:
              en: The whole pod with its sandbox
              zh: 整个 Pod，连同沙箱
            wrong:
              en: The sandbox is ready and of the right kind, so it stays, with its IP. Only what differs is changed.
              zh: 沙箱是就绪的，类型也对，所以会留下，IP 也不变。只改不同的地方。
        then:
          - until: "kind == 'pod-actions'"
        answer: "actions.killPod ? 'pod' : len(actions.containersToKill) == 2 ? 'both' : actions.containersToKill[0].name"
        right:
          en: "{{ len(actions.containersToKill) }} container, with the message \\"{{ actions.containersToKill[0].message }}\\". A changed hash restarts under any restart policy, even \`Never\`."
          zh: "{{ len(actions.containersToKill) }} 个容器，消息是“{{ actions.containersToKill[0].message }}”。哈希变了，不管什么重启策略都会重启，\`Never\` 也一样。"
      do:
        - until: "kind == 'input' && verb == 'edit'"
          pace: fast

    - title:
        en: Killed and started in one round
        zh: 一轮之内，先杀后启
      text:
        en: |-
          Step 3 has stopped \`app\` in {{ seconds(last(state.cri.recent, c => c.method == 'StopContainer').took) }} s, and the same round is at step 9 with it. It does not wait for the PLEG to see the death: the plan was made beforehand and is now carried out.

          The sandbox and \`logs\` were not touched.
        zh: |-
          第 3 步用 {{ seconds(last(state.cri.recent, c => c.method == 'StopContainer').took) }} 秒停掉了 \`app\`，同一轮已经走到它的第 9 步。不必等 PLEG 看到它死：计划是事先定好的，现在照着执行。

          沙箱和 \`logs\` 都没有碰。
      do:
        - until: "kind == 'step' && fn == 'kuberuntime.SyncPod' && n == 9"
      show: { level: loop, select: { pod: web }, source: kuberuntime.SyncPod }
      holds:
        - "container == 'app'"
        - "first(state.pods['web'].cache.containers, c => c.name == 'app').state == 'running'"
        - "first(state.containers, c => c.name == 'logs').state == 'running' && len(state.sandboxes) == 1"
        - { records: { kind: step, where: "fn == 'kuberuntime.SyncPod' && n == 3", exactly: 1 } }
        - { records: { kind: cri-call, where: "method == 'StopContainer'", exactly: 1 } }

    - title:
        en: From the beginning
        zh: 从头再来
      exercise:
        text:
          en: Make \`computePodActions\` plan a second sandbox for \`web\`, with attempt 1. The manifest stays as it is.
          zh: 让 \`computePodActions\` 为 \`web\` 计划第二个沙箱，attempt 为 1。清单不许改。
        done:
          - { records: { kind: pod-actions, where: "actions.createSandbox && actions.attempt == 1", atLeast: 1 } }
        hint:
          en: A sandbox that is not ready is never repaired. It can be killed like a container.
          zh: 不再就绪的沙箱不会被修好。沙箱也可以像容器一样杀掉。
        solution:
          - until: "kind == 'work-done'"
          - killSandbox: web
          - until: "kind == 'pod-actions' && actions.createSandbox"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          Kill the pod: {{ actions.killPod }}, create a sandbox: {{ actions.createSandbox }}, start {{ len(actions.containersToStart) }} containers. A new sandbox means to begin again with everything; a changed hash or a failed liveness probe concerns one container; else only what does not run is started.

          In every case: status first, preparations, one plan, and then the plan step by step.
        zh: |-
          杀掉 Pod：{{ actions.killPod }}；新建沙箱：{{ actions.createSandbox }}；启动 {{ len(actions.containersToStart) }} 个容器。换了沙箱，一切从头来；哈希变了或存活探针失败，只动那个容器；否则只启动没在运行的。

          不管哪种情况：先写状态，再做准备，定一个计划，然后一步一步照做。
      show: { level: loop, select: { pod: web }, panel: timeline }
      holds:
        - "kind == 'pod-actions' && actions.createSandbox && len(actions.containersToStart) == 2"
`;
