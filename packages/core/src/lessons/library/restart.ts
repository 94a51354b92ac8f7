export const restart = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: restart
  title:
    en: What a kubelet restart forgets
    zh: kubelet 重启会忘掉什么
  summary:
    en: The kubelet dies, the containers do not. See how the next one learns from files and runtime what there is, why it starts nothing anew, and which of its knowledge is gone for good.
    zh: kubelet 死了，容器没死。看下一个 kubelet 怎样从文件和运行时得知现状，为什么什么都不重新启动，又有哪些记忆就此丢失。
  minutes: 9
spec:
  goal:
    en: You can say what of a pod survives a restart of the kubelet, where it was kept meanwhile, and what starts again from nothing.
    zh: kubelet 重启后，你能说出 Pod 的哪些东西留了下来、这期间存在哪里，以及哪些要从零开始。
  seed: 1
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: restart
      title: { en: "Two pods, one of them crashing", zh: 两个 Pod，其中一个在崩溃 }
    spec:
      seed: 1
      node: { clusterDNS: ["10.96.0.10"] }
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
            spec:
              terminationGracePeriodSeconds: 30
              initContainers:
                - name: setup
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "sleep 1"]
              containers:
                - name: app
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "touch /tmp/ok; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                  readinessProbe:
                    exec:
                      command: ["test", "-f", "/tmp/ok"]
                    periodSeconds: 5
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: crash
            spec:
              terminationGracePeriodSeconds: 2
              containers:
                - name: main
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "sleep 1; exit 1"]
        - wait: 1h
  steps:
    - name: before
      title:
        en: What there is to forget
        zh: 有什么可忘的
      text:
        en: |-
          {{ round(seconds(time)) }} s. \`web\` is running and ready. \`crash\` has failed {{ max(map(filter(state.containers, c => c.name == 'main'), c => c.attempt)) + 1 }} times and is in back-off for {{ seconds(delay) }} s.

          Workers, the PLEG's last list, probe results, back-offs: the kubelet keeps all of it in memory. On disk are only its checkpoints of allocated resources.
        zh: |-
          第 {{ round(seconds(time)) }} 秒。\`web\` 运行着，已就绪。\`crash\` 失败了 {{ max(map(filter(state.containers, c => c.name == 'main'), c => c.attempt)) + 1 }} 次，正退避 {{ seconds(delay) }} 秒。

          worker、PLEG 上次的列表、探针结果、退避，kubelet 全放在内存里。磁盘上只有已分配资源的检查点。
      do:
        - until: "kind == 'backoff' && active && delay == 40s"
          within: 2m
          pace: fast
      show: { level: loop, select: { pod: crash } }
      holds:
        - { pod: web, ready: true }
        - "pod == 'default/crash-node1'"
        - { records: { kind: actual-container, where: "name == 'main' && state == 'exited'", exactly: 4 } }

    - title:
        en: Killed
        zh: 被杀
      text:
        en: |-
          The process is gone, and with it every goroutine: {{ count(state.goroutines, g => g.process == 'kubelet' && g.state != 'dead') }} are left. The container \`app\` is {{ first(state.containers, c => c.name == 'app').state }}.

          Containers are not the kubelet's children. Their processes hang on the runtime's shims, and nobody tells them anything.
        zh: |-
          进程没了，所有 goroutine 跟着没了，剩下 {{ count(state.goroutines, g => g.process == 'kubelet' && g.state != 'dead') }} 个。容器 \`app\` 的状态是 {{ first(state.containers, c => c.name == 'app').state }}。

          容器不是 kubelet 的子进程。它们的进程挂在运行时的 shim 下面，没有人通知它们什么。
      do:
        - restart: { kubelet: crash, down: 3s }
      show: { level: everything, select: { container: app, pod: web } }
      holds:
        - "count(state.goroutines, g => g.process == 'kubelet' && g.state != 'dead') == 0"
        - "first(state.containers, c => c.name == 'app').state == 'running'"

    - title:
        en: Same file, same pod
        zh: 同一个文件，同一个 Pod
      text:
        en: |-
          A new kubelet, {{ round(seconds(time)) }} s. Its file source lists the folder, and \`PodConfig\` sends one \`{{ op }}\` with {{ len(pods) }} pods.

          Their uids are the ones from before: a hash of the manifest, or given by the API server. By this uid, which is on every container as a label, the kubelet will find what belongs to a pod.
        zh: |-
          第 {{ round(seconds(time)) }} 秒，一个新的 kubelet。文件源列出目录，\`PodConfig\` 发出一个 \`{{ op }}\`，里面有 {{ len(pods) }} 个 Pod。

          uid 和以前一样：要么是清单的哈希，要么由 API server 给定。每个容器的标签上都有这个 uid，kubelet 靠它找到哪些容器属于哪个 Pod。
      do:
        - until: "kind == 'pod-config' && len(pods) > 0"
      show: { level: loop, select: { part: podConfig } }
      holds:
        - "op == 'ADD' && len(pods) == 2"
        - "all(pods, p => any(state.containers, c => c.uid == p.uid))"
        - { sequence: [{ kind: process, where: "process == 'kubelet' && state == 'killed'" }, { kind: process, where: "process == 'kubelet' && state == 'started'" }] }

    - title:
        en: News from long ago
        zh: 很久以前的新闻
      ask:
        question:
          en: "\`setup\`, the init container of \`web\`, ended well more than half a minute ago, and the old kubelet knew. The new PLEG makes its first relist. Which event does it send for \`setup\`?"
          zh: "\`web\` 的 init 容器 \`setup\` 半分多钟前就顺利结束了，旧 kubelet 知道。新的 PLEG 第一次 relist，会为 \`setup\` 发什么事件？"
        options:
          - value: none
            text:
              en: None, nothing has changed
              zh: 不发，什么也没变
            wrong:
              en: For this PLEG it has. It compares with its own last list, and that is empty.
              zh: 对这个 PLEG 来说变了。它和自己上次的列表比，而那是空的。
          - value: ContainerDied
            text:
              en: "\`ContainerDied\`"
              zh: "\`ContainerDied\`"
          - value: ContainerStarted
            text:
              en: "\`ContainerStarted\`, as for all containers that it meets for the first time"
              zh: "\`ContainerStarted\`，凡是第一次见到的容器都是它"
            wrong:
              en: The event says what state a container has now, and this one has exited.
              zh: 事件说的是容器现在的状态，而它已经退出。
        then:
          - until: "(kind == 'pleg-event' && name == 'setup') || kind == 'relist'"
        answer: "kind == 'pleg-event' ? type : 'none'"
        right:
          en: "\`{{ type }}\`: from non-existent to exited. Everything is news to a PLEG that compares with nothing. The events do no harm; each only makes a worker look."
          zh: "\`{{ type }}\`：从不存在到已退出。和空列表一比，什么都是新闻。这些事件没有害处，每一个只是让 worker 看一眼。"
      show: { level: loop, select: { part: pleg } }
      holds:
        - { records: { kind: actual-container, where: "name == 'setup' && state == 'exited' && exitCode == 0", exactly: 1 } }
        - { records: { kind: pleg-event, where: "name == 'setup' && type == 'ContainerDied'", exactly: 1 } }

    - title:
        en: The rest of the back-off
        zh: 剩下的退避
      ask:
        question:
          en: "\`crash\` had been told to wait 40 s, and only a few of them have passed. When does the new kubelet start \`main\` again?"
          zh: "\`crash\` 本来要等 40 秒，才过了几秒。新的 kubelet 什么时候再启动 \`main\`？"
        options:
          - value: now
            text:
              en: At once
              zh: 立刻
          - value: rest
            text:
              en: When the rest of the 40 s is over
              zh: 等 40 秒剩下的部分过完
            wrong:
              en: Nobody knows of the 40 s any more. The runtime knows when the container ended, but not how long to wait.
              zh: 没有人还知道那 40 秒。运行时知道容器何时结束，但不知道该等多久。
          - value: again
            text:
              en: After 10 s, as the back-off begins anew
              zh: 10 秒之后，退避重新开始
            wrong:
              en: It does begin anew, but a restart without an entry in the back-off does not wait at all. The 10 s come after the next failure.
              zh: 退避确实重新开始，但没有退避记录的重启根本不用等。10 秒要等下一次失败之后。
        then:
          - until: "kind == 'backoff' && pod == 'default/crash-node1'"
        answer: "active ? (delay == 10s ? 'again' : 'rest') : 'now'"
        right:
          en: At once. The back-off was in memory, and is gone; the next failure will cost {{ seconds(delay) }} s. So a restart of the kubelet cuts every \`CrashLoopBackOff\` short.
          zh: 立刻。退避只在内存里，已经没了，下次失败只罚 {{ seconds(delay) }} 秒。所以 kubelet 一重启，所有 \`CrashLoopBackOff\` 都提前结束。
      do:
        - until: "kind == 'sources-ready'"
      show: { level: loop, select: { pod: crash } }
      holds:
        - "record.all"
        - { records: { kind: backoff, where: "active && delay == 40s && until > time", atLeast: 1 } }

    - title:
        en: First seen
        zh: 第一次见到
      ask:
        question:
          en: To the workers \`web\` is "first seen", and its update is a \`create\`, as on a new pod. What does \`computePodActions\` order for its containers?
          zh: 对 worker 来说，\`web\` 是“first seen”，更新是 \`create\`，和新 Pod 一样。\`computePodActions\` 会对它的容器下什么命令？
        options:
          - value: new
            text:
              en: A new sandbox and new containers, and the old ones are cleared away
              zh: 建新沙箱和新容器，把旧的清掉
            wrong:
              en: The runtime was asked for what has this pod's uid. The sandbox it named is ready, so it is good.
              zh: kubelet 已经问过运行时，哪些带着这个 Pod 的 uid。它报出的沙箱是就绪的，就够了。
          - value: restart
            text:
              en: It is restarted, as this kubelet did not start it
              zh: 重启它，因为不是这个 kubelet 启动的
            wrong:
              en: Who has started a container is of no interest, only whether it is what the manifest wants.
              zh: 谁启动的无所谓，只看它是不是清单要的样子。
          - value: nothing
            text:
              en: Nothing at all
              zh: 什么也不做
        then:
          - until: "kind == 'pod-actions' && pod == 'default/web-node1'"
        answer: "actions.createSandbox || actions.killPod ? 'new' : len(actions.containersToStart) + len(actions.containersToKill) + len(actions.initContainersToStart) > 0 ? 'restart' : 'nothing'"
        right:
          en: Nothing. A hash of its name and image was written on the container when it was created. It equals that of the manifest, so the container stays. \`setup\` is not run again either; its end is in the runtime, too.
          zh: 什么也不做。创建容器时，由名字和镜像算出的哈希就写在了容器上，和清单算出来的一样，所以留着。\`setup\` 也不会再跑，它的结束同样记在运行时里。
      show: { level: loop, select: { pod: web }, source: computePodActions }
      holds:
        - { records: { kind: worker, where: "reason == 'first seen' && pod == 'default/web-node1'", exactly: 2 } }

    - title:
        en: The runtime is the memory
        zh: 运行时就是记忆
      text:
        en: |-
          \`main\` has been started again, as attempt {{ attempt }}: the count goes on. Like the hash it is an annotation on the container, and the next number is made from it.

          What the kubelet needs after a restart it has written on the containers beforehand. What it did not write there, it does not know.
        zh: |-
          \`main\` 又启动了，attempt 是 {{ attempt }}：计数接着走。它和哈希一样，是容器上的一个注解，下一个数由它得出。

          重启之后用得着的，kubelet 事先都写在容器上了。没写上去的，它就不知道。
      do:
        - until: "kind == 'actual-container' && name == 'main' && state == 'running'"
      show: { level: loop, select: { container: main, pod: crash } }
      holds:
        - "attempt == 4"
        - { never: { kind: cri-call, where: "method == 'StopContainer'" } }
        - { records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 2 } }

    - title:
        en: Not ready for a while
        zh: 有一阵不就绪
      text:
        en: |-
          {{ seconds(time) }} s: the first probe of the new kubelet has succeeded, and \`web\` is ready again. Until now it was not: probe results are in memory, too, and the first probe after a start is put off by a random part of the period.

          In a cluster the Pod in the API server says \`Ready\`, and the kubelet goes by that meanwhile. For a static pod nobody says so.
        zh: |-
          第 {{ seconds(time) }} 秒：新 kubelet 的第一次探测成功，\`web\` 又就绪了。在此之前不是：探针结果也在内存里，而且启动后的第一次探测会随机推迟，最多一个周期。

          在集群里，API server 里的 Pod 写着 \`Ready\`，kubelet 这期间就照它来。静态 Pod 没有人替它说。
      do:
        - until: "kind == 'probe-result' && probeType == 'readiness' && result == 'Success'"
        - until: "kind == 'status' && pod == 'default/web-node1'"
      show: { level: loop, select: { pod: web }, tab: history }
      holds:
        - { pod: web, ready: true }
        - { sequence: [{ kind: process, where: "process == 'kubelet' && state == 'started'" }, { kind: status, where: "pod == 'default/web-node1' && any(status.conditions, c => c.type == 'Ready' && c.status == 'True')" }, { kind: process, where: "process == 'kubelet' && state == 'started'" }, { kind: status, where: "pod == 'default/web-node1' && any(status.conditions, c => c.type == 'Ready' && c.status == 'False')" }, { kind: probe-result, where: "result == 'Success'" }] }

    - title:
        en: What nobody wants
        zh: 没有人要的
      exercise:
        text:
          en: See to it that the next kubelet finds a running pod of which no source knows, and kills it.
          zh: 让下一个 kubelet 发现一个没有任何来源知道的、正在运行的 Pod，并把它杀掉。
        done:
          - { records: { kind: process, where: "process == 'kubelet' && state == 'started'", atLeast: 1 } }
          - { records: { kind: enter, where: "fn == 'SyncTerminatingRuntimePod'", atLeast: 1 } }
          - { records: { kind: cri-call, where: "method == 'StopContainer'", atLeast: 1 } }
        hint:
          en: A manifest that goes while the kubelet watches is a \`REMOVE\`. It has to go while no kubelet is there.
          zh: kubelet 看着的时候清单没了，是 \`REMOVE\`。要在没有 kubelet 的时候拿走它。
        solution:
          - stopKubelet
          - delete: web
          - startKubelet
          - until: "kind == 'cri-call' && method == 'StopContainer'"

    - title:
        en: The orphan
        zh: 孤儿 Pod
      text:
        en: |-
          Once all sources had been seen, \`HandlePodCleanups\` found \`web\` running and in no source. \`SyncTerminatingRuntimePod\` stops it, with a timeout of {{ request.timeout }} s: the manifest said 30, but it is gone, and so is all that was in it.

          That is why housekeeping waits for the sources. Before that moment every running pod looks like an orphan.
        zh: |-
          所有来源都见过之后，\`HandlePodCleanups\` 发现 \`web\` 在运行，却不在任何来源里。\`SyncTerminatingRuntimePod\` 停掉它，超时 {{ request.timeout }} 秒：清单里写的是 30，但清单没了，里面写的也就没了。

          housekeeping 要等来源，就是这个缘故。在那之前，每个运行中的 Pod 看上去都像孤儿。
      show: { level: loop, select: { record: here }, tab: why }
      holds:
        - "request.timeout == '2'"
        - { sequence: [{ kind: input, where: "verb == 'delete'" }, { kind: sources-ready, where: "record.all" }, { kind: enter, where: "fn == 'HandlePodCleanups'" }, { kind: worker, where: "state == 'terminating' && contains(reason, 'orphaned')" }, { kind: enter, where: "fn == 'SyncTerminatingRuntimePod'" }] }
        - { never: { kind: enter, where: "fn == 'HandlePodRemoves'" } }

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          What should be, the sources say again. What is, the runtime says, with uid, hash and restart count on every container. From these two the kubelet goes on as if nothing had been.

          Lost are back-offs, probe results, and whatever a worker was in the middle of. That is begun again, from what the runtime shows.
        zh: |-
          应该怎样，来源会再说一遍。实际怎样，运行时会说，每个容器上都有 uid、哈希和重启次数。有这两样，kubelet 就能像什么都没发生一样继续。

          丢掉的是退避、探针结果，以及 worker 做到一半的事。那些会照着运行时的现状重新开始。
      show: { level: loop, select: { part: cri } }
      holds:
        - { records: { kind: process, where: "process == 'kubelet' && state == 'started'", exactly: 3 } }
`;
