/** Images that the simulation knows nothing of, and what their containers probably do. */
import { isObject } from '../../base/index.js';
import { parseReference } from '../../mock/images/reference.js';
import { wellKnownImage, wellKnownNames } from '../../mock/images/well-known.js';
import type { ImageBehaviour } from '../../mock/index.js';
import { isUnderstood } from '../../mock/programs/one-liners.js';
import { nearest } from '../../words/index.js';
import type { ActionOf, LocalText } from '../document/scenario.js';
import { field, type Loose, listOf, textOf } from './documents.js';

/** The images that a node knows, as in `objects` of a session. */
export interface KnownImages {
  readonly images: readonly { readonly tags: readonly string[] }[];
  readonly answers?: readonly {
    readonly ref: string;
    readonly kind: string;
    readonly does?: ImageBehaviour;
    readonly doesIn?: Readonly<Record<string, ImageBehaviour>>;
    readonly assumed?: true;
  }[];
}

/** The answer for an image, as the step `imageDoes` takes it. */
export type ImageAnswerOf = Omit<ActionOf<'imageDoes'>, 'verb'>;

/** The reason why an image is thought to behave so. */
export type GuessReason = keyof typeof reasons;

/** An image of a workload that the simulation has no programs for. */
export interface ImageQuestion extends ImageAnswerOf {
  /** In full, as in the runtime. */
  readonly full: string;
  /** `POD/CONTAINER` of those that run it. */
  readonly containers: readonly string[];
  readonly because: GuessReason;
  /** For `typo`: the image that was probably meant. */
  readonly near: string;
  /** The run already has an answer, and this is it. */
  readonly settled: boolean;
}

const reasons = {
  set: { en: 'set in this run', zh: '已在本次运行中设定' },
  ports: { en: 'its ports and probes say so', zh: '依据其端口和探针' },
  job: { en: 'it runs to its end', zh: '它会运行至结束' },
  init: { en: 'an init container ends', zh: 'init 容器会结束' },
  waits: { en: 'it waits for a service, which is assumed to be ready', zh: '它等待某个服务，视为已就绪' },
  command: { en: 'its command needs only a shell and its tools', zh: '其命令只需要 shell 及其工具' },
  typo: { en: 'no such image; did you mean {near}?', zh: '没有这个镜像；是否指 {near}？' },
  noTag: { en: 'the image is known, but has no such tag', zh: '镜像已知，但没有这个标签' },
  name: { en: 'its name says so', zh: '其名称如此表明' },
  default: { en: 'nothing says otherwise', zh: '没有其他依据' },
} as const satisfies Record<string, LocalText>;

/** The reason in a few words. */
export function reasonText({ because, near }: Pick<ImageQuestion, 'because' | 'near'>, lang: 'en' | 'zh'): string {
  const reason = reasons[because][lang].replace('{near}', near);
  return because === 'set' ? reason : lang === 'en' ? `assumed: ${reason}` : `假定：${reason}`;
}

const second = 1_000_000;
const ends = (code: number, seconds: number): ImageBehaviour => ({ kind: 'exits', code, after: seconds * second });

interface Use {
  readonly pod: string;
  readonly container: Loose;
  readonly init: boolean;
  readonly job: boolean;
}

/** The images of pods (as JSON) that there is something to say of, each once, with a guess or what was said before. */
export function imageQuestions(
  pods: readonly { readonly name: string; readonly pod: Loose }[],
  known: KnownImages,
): ImageQuestion[] {
  const uses = new Map<string, { ref: string; uses: Use[] }>();
  for (const { name, pod } of pods) {
    const job = /^(Never|OnFailure)$/.test(textOf(field(pod.spec, 'restartPolicy')));
    for (const [list, inits] of [['initContainers', true] as const, ['containers', false] as const])
      for (const container of listOf(field(pod.spec, list))) {
        if (!isObject(container)) continue;
        const ref = textOf(container.image);
        const full = parseReference(ref)?.full;
        if (full === undefined) continue;
        const entry = uses.get(full) ?? { ref, uses: [] };
        entry.uses.push({ pod: name, container, init: inits && container.restartPolicy !== 'Always', job });
        uses.set(full, entry);
      }
  }
  return [...uses].flatMap(([full, entry]) => question(full, entry.ref, entry.uses, known) ?? []);
}

function question(full: string, ref: string, uses: readonly Use[], known: KnownImages): ImageQuestion | null {
  const containers = [...new Set(uses.map((u) => `${u.pod}/${textOf(u.container.name)}`))];
  const answer = known.answers?.find((a) => a.ref === full);
  const base = { ref, full, containers, near: '' };
  if (answer) {
    if (answer.kind === 'serve' && !answer.does && !answer.doesIn) return null;
    const does = answer.kind === 'serve' ? (answer.does ?? { kind: 'command' as const }) : null;
    const said = { ...base, does, ...(answer.doesIn && { doesIn: answer.doesIn }), settled: true };
    return answer.assumed
      ? { ...said, assumed: true, because: guessOf(mainOf(uses)).because }
      : { ...said, because: 'set' };
  }
  const present = uses.some((u) => u.container.imagePullPolicy === 'Never') || /^localhost[:/]/.test(full);
  const rest = { ...base, settled: false, assumed: true as const, ...(present && { present: true as const }) };
  const there = known.images.some((i) => i.tags.includes(full));
  const parsed = parseReference(ref);
  if (there || (parsed && wellKnownImage(parsed, false).kind === 'serve')) {
    // A known image is asked about only for containers that would wait for ever.
    const waiting = uses.filter((u) => u.init && waitsForOthers(u.container));
    if (waiting.length === 0) return null;
    const doesIn = Object.fromEntries(waiting.map((u) => [textOf(u.container.name), ends(0, 1)]));
    return { ...rest, does: { kind: 'command' }, doesIn, because: 'waits' };
  }
  if (parsed && wellKnownNames.includes(parsed.name)) return { ...rest, does: null, because: 'noTag' };
  if (/(^|[/.-])(invalid|no-such|does-not-exist|doesnotexist|non-?existent|not-?found)([/.:-]|$)/.test(full))
    return { ...rest, does: null, because: 'name' };
  const near = typo(parsed?.name ?? '');
  if (near !== null) return { ...rest, does: null, because: 'typo', near };
  const guess = guessOf(mainOf(uses));
  const differing = uses.flatMap((u) => {
    const own = guessOf(u).does;
    return JSON.stringify(own) === JSON.stringify(guess.does) ? [] : [[textOf(u.container.name), own] as const];
  });
  return { ...rest, ...guess, ...(differing.length > 0 && { doesIn: Object.fromEntries(differing) }) };
}

/** The use that says most about an image: that of an ordinary container. */
const mainOf = (uses: readonly Use[]): Use => uses.find((u) => !u.init) ?? (uses[0] as Use);

/** Guesses the most likely behaviour of a container. */
function guessOf({ container, init, job }: Use): { does: ImageBehaviour; because: GuessReason } {
  if (isProgram(container)) return { does: { kind: 'command' }, because: 'command' };
  if (init) {
    if (waitsForOthers(container)) return { does: ends(0, 1), because: 'waits' };
    return toolsOnly(container)
      ? { does: { kind: 'command' }, because: 'command' }
      : { does: ends(0, 1), because: 'init' };
  }
  const ports = portsOf(container);
  if (ports.length > 0) return { does: { kind: 'serves', ports }, because: 'ports' };
  if (toolsOnly(container)) return { does: { kind: 'command' }, because: 'command' };
  return job ? { does: ends(0, 5), because: 'job' } : { does: { kind: 'runs' }, because: 'default' };
}

const mostPorts = 20;

/** Returns the TCP ports that a container has, by its ports, probes and hooks. */
export function portsOf(container: Loose): number[] {
  const declared = listOf(container.ports);
  const named = new Map(declared.map((p) => [textOf(field(p, 'name')), Number(field(p, 'containerPort'))]));
  const ports = declared
    .filter((p) => (field(p, 'protocol') ?? 'TCP') === 'TCP')
    .map((p) => Number(field(p, 'containerPort')));
  const handlers = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((k) => container[k]),
    field(container.lifecycle, 'postStart'),
    field(container.lifecycle, 'preStop'),
  ];
  for (const handler of handlers)
    for (const kind of ['httpGet', 'tcpSocket', 'grpc']) {
      const host = field(field(handler, kind), 'host');
      const port = field(field(handler, kind), 'port');
      if (port === undefined || (host !== undefined && host !== 'localhost' && host !== '127.0.0.1')) continue;
      ports.push(typeof port === 'string' ? (named.get(port) ?? Number(port)) : Number(port));
    }
  return [...new Set(ports)].filter((p) => Number.isInteger(p) && p > 0 && p < 65_536).slice(0, mostPorts);
}

const scriptOf = (container: Loose): string =>
  [...listOf(container.command), ...listOf(container.args)].map((w) => textOf(w)).join(' ');

/** Returns true for an init container that asks again and again for some service, which does not exist here. */
function waitsForOthers(container: Loose): boolean {
  const script = scriptOf(container);
  const asks =
    /\b(nc|nslookup|dig|getent|wget|curl|ping|pg_isready|mysqladmin|mongosh?|redis-cli|telnet)\b|\/dev\/tcp\//;
  return (
    (/\b(until|while)\b/.test(script) && asks.test(script)) ||
    /\b(wait-for(-it)?|wait4x|dockerize -wait)\b/.test(script)
  );
}

/** Returns true for a command whose own program is simulated as far as its words go. */
function isProgram(container: Loose): boolean {
  const words = [...listOf(container.command), ...listOf(container.args)].map((w) => textOf(w));
  const name = (words[0] ?? '').replace(/^.*\//, '');
  return listOf(container.command).length > 0 && (/^stress(-ng)?$/.test(name) || isUnderstood(words));
}

/** A script in which `true` stands for each program of python, node and perl that is simulated. */
const withoutInterpreters = (script: string): string =>
  script
    .replace(
      /\b(python[\d.]*|node|nodejs|perl)\s+(-c|-e|--eval|-E)\s+(?:"([^"$`]*)"|'([^']*)')/g,
      (whole, name: string, flag: string, double: string | undefined, single: string | undefined) =>
        isUnderstood([name, flag, double ?? single ?? '']) ? 'true' : whole,
    )
    .replace(/\bpython[\d.]*\s+-m\s+http\.server\b/g, 'true');

const shells = /^(\/usr)?(\/bin\/)?(sh|bash|ash)$/;
const tools = new Set(
  // None that would look for files of the image itself, as cp and cat do.
  (
    'sleep echo env printf date true false test [ [[ touch mkdir rm rmdir chmod chown tail wc sort uniq cut ' +
    'tr tee seq kill wait exit set export trap cd read while until for if then else elif fi do done in case esac : ' +
    'exec hostname id uname printenv which expr usleep sync shift return local unset break continue pwd sysctl dd ' +
    'curl wget nc stress stress-ng'
  ).split(' '),
);

/** Returns true if a shell and its usual tools are all that its command needs. */
function toolsOnly(container: Loose): boolean {
  const command = listOf(container.command).map((w) => textOf(w));
  const [first = ''] = command;
  if (!shells.test(first)) return tools.has(first.replace(/^(\/usr)?\/bin\//, ''));
  const words = [...command.slice(1), ...listOf(container.args).map((w) => textOf(w))];
  const at = words.findIndex((w) => /^-[a-z]*c[a-z]*$/.test(w));
  if (at < 0) return false;
  const script = withoutInterpreters(words[at + 1] ?? '')
    .replace(/'[^']*'|"[^"$]*"/g, 'x')
    .replace(/#.*$/gm, '');
  return script
    .split(/[;\n|&(){}]+|\b(?:then|do|else|exec)\b/)
    .map((part) =>
      part
        .trim()
        .replace(/^(\w+=\S*\s*)+/, '')
        .replace(/^(while|until|if|elif|!)\s+/, ''),
    )
    .every((part) => part === '' || tools.has(part.split(/\s+/)[0] as string));
}

/** Other official images, which are not slips of the pen. */
const official =
  /^docker\.io\/library\/(mysql|mariadb|mongo|node|python|php|ruby|golang|rust|openjdk|tomcat|traefik|wordpress|rabbitmq|zookeeper|influxdb|haproxy|registry|nats|vault|consul|caddy|docker|fedora|amazonlinux|rockylinux|perl|ghost|drupal|joomla|nextcloud|redmine|solr|telegraf|varnish|kong|neo4j|elasticsearch|kibana|logstash|couchdb|cassandra|rethinkdb|percona|adminer|buildpack-deps|gradle|maven|sonarqube|jenkins|swarm|composer|bash|centos|eclipse-mosquitto)$/;

function typo(name: string): string | null {
  if (!name.startsWith('docker.io/library/') || official.test(name)) return null;
  const own = name.slice('docker.io/library/'.length);
  const names = wellKnownNames.filter((n) => n.startsWith('docker.io/library/')).map((n) => n.slice(18));
  const near = nearest(own, names);
  return near !== null && own.length > 4 && Math.abs(near.length - own.length) < 2 ? near : null;
}
