/** Incidents of pods and containers in words. */
import { imageReason } from './image-reasons.js';
import type { IncidentKind } from './kinds.js';
import { because, before, exitCode, fact, many, pods, type Said, type Sentence, times, who } from './phrases.js';

const of =
  (en: string, zh: string): Sentence =>
  (s) => ({
    en: `${en.replace('$', () => who(s).en)}${because(s).en}`,
    zh: `${zh.replace('$', () => who(s).zh)}${because(s).zh}`,
  });
const probe =
  (en: string, zh: string): Sentence =>
  (s) => ({
    en: `the ${en} probe of ${who(s).en} failed${s.count > 1 ? ` ${times(s.count).en}` : ''}${because(s).en}${fact(s, 'killed') === '' ? '' : '; the kubelet killed the container to start it anew'}`,
    zh: `${before(who(s).zh)}的${zh}探针失败${s.count > 1 ? ` ${times(s.count).zh}` : ''}${because(s).zh}${fact(s, 'killed') === '' ? '' : '；kubelet 终止了该容器以重新启动'}`,
  });
const REASONS: { readonly [reason: string]: readonly [string, string] } = {
  command: ['its command cannot be run', '其命令无法执行'],
  mount: ['a mount is not possible', '无法挂载'],
  cgroup: ['a cgroup cannot be set up', '无法设置 cgroup'],
  device: ['a device is not available', '设备不可用'],
  config: ['its configuration is invalid', '其配置无效'],
};
const start =
  (en: string, zh: string): Sentence =>
  (s) => {
    const reason = Object.hasOwn(REASONS, fact(s, 'reason')) ? REASONS[fact(s, 'reason')] : undefined;
    return {
      en: `${who(s).en} could not be ${en}${reason ? `, because ${reason[0]}` : ''}${because(s).en}`,
      zh: `无法${zh} ${who(s).zh}${reason ? `，因为${reason[1]}` : ''}${because(s).zh}`,
    };
  };
const volumes = (s: Said): string => fact(s, 'volume') || fact(s, 'volumes');

const FIRST_WAIT = '10s';

export const sentencesOfPods = {
  eviction: (said) => {
    const s = /evicted successfully/.test(said.what) ? { ...said, what: '' } : said;
    return {
      en: `${pods(s).en} ${many(s) ? 'were' : 'was'} evicted${because(s).en}`,
      zh: `${pods(s).zh} 被驱逐${because(s).zh}`,
    };
  },
  oom: (s) => ({
    en: `${s.container === '' && fact(s, 'process') !== '' ? `${fact(s, 'process')} in ` : ''}${who(s).en} was killed because it used more memory than it may (OOM)${s.count > 1 ? `, ${times(s.count).en}` : ''}`,
    zh: `${who(s).zh}${s.container === '' && fact(s, 'process') !== '' ? ` 的进程 ${fact(s, 'process')} ` : ''}因内存超限被杀（OOM）${s.count > 1 ? `，共 ${times(s.count).zh}` : ''}`,
  }),
  'sandbox-died': (s) => ({
    en: `the sandbox of ${pods(s).en} died${s.count > 1 ? ` ${times(s.count).en}` : ''}, and its containers with it`,
    zh: `${pods(s).zh} 的沙箱终止${s.count > 1 ? ` ${times(s.count).zh}` : ''}，其容器随之终止`,
  }),
  'probe-liveness': probe('liveness', '存活'),
  'probe-startup': probe('startup', '启动'),
  'probe-readiness': probe('readiness', '就绪'),
  probe: probe('', ''),
  hook: (s) => {
    const pre = /pre.?stop/i.test(fact(s, 'hook') + s.what);
    return {
      en: `the ${pre ? 'preStop' : 'postStart'} hook of ${who(s).en} failed${because(s).en}`,
      zh: `${before(who(s).zh)}的 ${pre ? 'preStop' : 'postStart'} 钩子失败${because(s).zh}`,
    };
  },
  'config-missing': (s) => ({
    en: `${who(s).en} could not start, because a ConfigMap or Secret is missing${because(s).en}`,
    zh: `${before(who(s).zh)}无法启动，因为缺少 ConfigMap 或 Secret${because(s).zh}`,
  }),
  image: (s) => {
    const reason = imageReason(s.what);
    const image = fact(s, 'image');
    return {
      en: `the image ${image ? `${image} ` : ''}of ${who(s).en} could not be pulled${reason ? `, because ${reason.en}` : ''}${because(s).en}`,
      zh: `无法获得 ${before(who(s).zh)}的镜像${image ? ` ${image}` : ''}${reason ? `，因为${reason.zh}` : ''}${because(s).zh}`,
    };
  },
  'name-reserved': of(
    'the runtime kept a name reserved that $ needs, for an earlier call that it had not ended',
    '运行时仍为先前未结束的调用保留着 $ 所需的名称',
  ),
  'network-setup': of('the network of $ could not be set up', '无法建立 $ 的网络'),
  'network-teardown': of('the network of $ could not be torn down', '无法拆除 $ 的网络'),
  sandbox: of('no sandbox could be made for $', '无法为 $ 创建沙箱'),
  'container-create': start('created', '创建'),
  'container-start': start('started', '启动'),
  'crash-loop': (s) => {
    const exits = Number(s.facts.exits ?? 0);
    const delay = fact(s, 'delay');
    // The first wait, and no other one: each ended once, or twice.
    const each = Math.max(1, s.pods.length);
    if (delay === FIRST_WAIT && exits <= each && s.count <= each)
      return {
        en: `${who(s).en} ended${exitCode(s).en}; the kubelet made ${many(s) ? 'each' : 'it'} wait ${delay} before its next start (CrashLoopBackOff)`,
        zh: `${before(who(s).zh)}退出${exitCode(s).zh}；kubelet 让${many(s) ? '各容器' : '它'}等待 ${delay} 后再启动（CrashLoopBackOff）`,
      };
    return {
      en: `${who(s).en} ended again and again${exitCode(s).en}${exits > 1 ? `, ${times(exits).en}` : ''}; the kubelet made ${many(s) ? 'them' : 'it'} wait before each start (CrashLoopBackOff${delay === '' ? '' : `, up to ${delay}`})`,
      zh: `${before(who(s).zh)}反复退出${exitCode(s).zh}${exits > 1 ? `，共 ${times(exits).zh}` : ''}；kubelet 让${many(s) ? '它们' : '它'}在每次启动前等待（CrashLoopBackOff${delay === '' ? '' : `，最长 ${delay}`}）`,
    };
  },
  'volume-attach': (s) => ({
    en: `a volume of ${pods(s).en} was not attached to the node${volumes(s) ? ` (${volumes(s)})` : ''}${because(s).en}`,
    zh: `${pods(s).zh} 的卷未挂接到节点${volumes(s) ? `（${volumes(s)}）` : ''}${because(s).zh}`,
  }),
  'volume-mount': (s) => ({
    en: `a volume of ${pods(s).en} could not be mounted${volumes(s) ? ` (${volumes(s)})` : ''}${because(s).en}`,
    zh: `${pods(s).zh} 的卷无法挂载${volumes(s) ? `（${volumes(s)}）` : ''}${because(s).zh}`,
  }),
  'volume-release': (s) => ({
    en: `a volume of ${pods(s).en} could not be released${volumes(s) ? ` (${volumes(s)})` : ''}${because(s).en}`,
    zh: `${pods(s).zh} 的卷无法释放${volumes(s) ? `（${volumes(s)}）` : ''}${because(s).zh}`,
  }),
  admission: (s) => ({
    en: `the kubelet did not admit ${pods(s).en}${fact(s, 'reason') ? ` (${fact(s, 'reason')})` : ''}${because(s).en}`,
    zh: `kubelet 未接纳 ${pods(s).zh}${fact(s, 'reason') ? `（${fact(s, 'reason')}）` : ''}${because(s).zh}`,
  }),
  'container-exit': (s) => ({
    en: `${who(s).en} ended${exitCode(s).en}${s.count > 1 ? `, ${times(s.count).en}` : ''}`,
    zh: `${before(who(s).zh)}退出${exitCode(s).zh}${s.count > 1 ? `，共 ${times(s.count).zh}` : ''}`,
  }),
  'status-refused': of('the status of $ could not be written', '无法写入 $ 的状态'),
  'kill-failed': of('$ could not be stopped', '无法停止 $'),
  'stuck-terminating': (s) => ({
    en: `${pods(s).en} did not finish terminating${because(s).en}`,
    zh: `${pods(s).zh} 一直处于终止过程中${because(s).zh}`,
  }),
  'pod-recreated': (s) => ({
    en: `${pods(s).en} ${many(s) ? 'were deleted and created again under the same names' : 'was deleted and created again under the same name'}${because(s).en}`,
    zh: `${pods(s).zh} 被删除后又以同名重建${because(s).zh}`,
  }),
  'sync-failed': (s) => ({
    en: `${pods(s).en} could not be brought to ${many(s) ? 'their desired states' : 'its desired state'}${because(s).en}`,
    zh: `无法使 ${pods(s).zh} 达到期望状态${because(s).zh}`,
  }),
  deadline: (s) => {
    const deadline = fact(s, 'seconds');
    return {
      en: `${pods(s).en} passed ${many(s) ? 'their' : 'its'} activeDeadlineSeconds${deadline ? ` of ${deadline}` : ''} and ${many(s) ? 'were' : 'was'} stopped: Failed, DeadlineExceeded. As asked`,
      zh: `${pods(s).zh} 超过其 activeDeadlineSeconds${deadline ? `（${deadline} 秒）` : ''}而被停止：Failed，DeadlineExceeded。这符合其设定`,
    };
  },
  'force-deleted': (s) => ({
    en: `${pods(s).en} ${many(s) ? 'were' : 'was'} deleted at once, without a grace period. As asked`,
    zh: `${pods(s).zh} 被立即删除，没有宽限期。这符合请求`,
  }),
  'spec-changed': (s) => ({
    en: `${who(s).en} was restarted, because its definition had changed`,
    zh: `${before(who(s).zh)}因定义变更而重启`,
  }),
  'pod-completed': (s) => ({ en: `${pods(s).en} completed`, zh: `${pods(s).zh} 已完成` }),
  'pod-deleted': (s) => ({ en: `${pods(s).en} ${many(s) ? 'were' : 'was'} deleted`, zh: `${pods(s).zh} 被删除` }),
} satisfies { readonly [K in IncidentKind]?: Sentence };
