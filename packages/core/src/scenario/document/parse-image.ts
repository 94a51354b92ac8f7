import { Second } from '../../kernel/index.js';
import { parseReference } from '../../mock/images/images.js';
import type { ImageBehaviour, ImageSpecification, RegistryBehaviour } from '../../mock/index.js';
import {
  about,
  custom,
  duration,
  flag,
  list,
  literal,
  object,
  oneOf,
  optional,
  type Read,
  readFields,
  record,
  refine,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import { amountOf } from './amount.js';
import { pullAnswers } from './fault-names.js';
import type { ActionOf } from './scenario.js';

const programs: Shape<'busybox' | string[]> = custom({ anyOf: [{ const: 'busybox' }, texts.schema] }, (r) =>
  Array.isArray(r.value) ? texts.read(r) : literal('busybox').read(r),
);

/** A text that containerd could take for an image. */
const ref = refine(text, (value, r) => {
  if (value.length > 1000 || !parseReference(value))
    throw r.mustBe('a reference to an image, such as registry.example/app:1.0');
});

const memory: Shape<number> = custom({ type: 'string' }, (r) => {
  const amount = text.read(r);
  try {
    const bytes = amountOf(amount, 0);
    if (bytes > 0 && bytes <= 2 ** 50) return bytes;
  } catch {
    // Said below.
  }
  throw r.mustBe('an amount of memory, such as 250Mi');
});

const behaviourFields = {
  serves: optional(about('Ports that it answers HTTP, HTTPS, TCP and gRPC health checks on.', list(whole(1, 65_535)))),
  status: optional(about('The status of its HTTP answers. Default: 200.', whole(100, 599))),
  needs: optional(about('It runs, and holds this much memory: 250Mi.', memory)),
  exits: optional(about('It ends by itself with this code.', whole(0, 255))),
  after: optional(about('How long it runs before that. Default: 1s.', duration)),
};
const behaviourObject = object(behaviourFields);
const behaviourWords = oneOf('runs', 'command');
const notPlain = 'runs, command, {serves: [8080]}, {needs: 250Mi} or {exits: 1, after: 5s}';

/** The behaviour of an image's containers; see ImageBehaviour. */
const behaviour: Shape<ImageBehaviour> = custom(
  { anyOf: [behaviourWords.schema, { ...behaviourObject.schema, minProperties: 1 }] },
  (r) => {
    if (typeof r.value === 'string') return { kind: behaviourWords.read(r) };
    if (typeof r.value !== 'object' || r.value === null) throw r.mustBe(notPlain);
    const { serves, status, needs, exits, after } = behaviourObject.read(r);
    if ([serves, needs, exits].filter((b) => b !== undefined).length !== 1) throw r.mustBe(notPlain);
    const onlyWith = (field: string, value: unknown, of: string): void => {
      if (value !== undefined) throw r.at(field).error(`it goes with ${of} only`, 'leave it out');
    };
    if (exits === undefined) onlyWith('after', after, 'exits');
    if (serves === undefined) onlyWith('status', status, 'serves');
    if (serves !== undefined)
      return { kind: 'serves', ports: [...new Set(serves)], ...(status !== undefined && { status }) };
    if (needs !== undefined) return { kind: 'needs', memory: needs };
    return { kind: 'exits', code: exits as number, after: after ?? Second };
  },
);
const does = about('What its containers do, whatever their command is. Default: their command.', behaviour);
const doesIn = about('What single containers do, by their names, if they do something else.', record(behaviour));

const imageFields = {
  ref,
  id: optional(text),
  digest: optional(text),
  size: optional(about('Bytes.', whole(0, 2 ** 43))),
  user: optional(text),
  entrypoint: optional(texts),
  cmd: optional(texts),
  env: optional(texts),
  workingDir: optional(text),
  stopSignal: optional(text),
  programs: optional(about('busybox, or the names of its programs. Default: none.', programs)),
  pinned: optional(flag),
  does: optional(does),
  doesIn: optional(doesIn),
};

export const image: Shape<ImageSpecification> = object(imageFields);
export const images: Shape<ImageSpecification[]> = list(image);

export interface RegistryEntry {
  readonly ref: string;
  readonly behaviour: RegistryBehaviour;
}

const answer = oneOf('serve', ...pullAnswers);
const serveFields = { ...imageFields, answer, bytesPerSecond: optional(whole(1, 2 ** 40)) };
const serving = object(serveFields);

/** The answer of a registry for one image; fields of an image only if it serves it. */
export const registryEntry: Shape<RegistryEntry> = custom(serving.schema, (r) => {
  const { answer: kind, bytesPerSecond, ...spec }: Read<typeof serveFields> = serving.read(r);
  if (kind === 'serve')
    return {
      ref: spec.ref,
      behaviour: { kind, image: spec, ...(bytesPerSecond !== undefined && { bytesPerSecond }) },
    };
  r.fields(['ref', 'answer']);
  return { ref: readFields(r, { ref }).ref, behaviour: { kind } };
});
export const registry: Shape<RegistryEntry[]> = list(registryEntry);

const missing = literal('missing');
const imageDoesFields = object({
  ref,
  does: custom({ anyOf: [missing.schema, behaviour.schema] }, (r) =>
    r.value === 'missing' ? null : behaviour.read(r),
  ),
  doesIn: optional(doesIn),
  present: optional(about('true: it is on the node from the start. Default: false, it has to be pulled.', flag)),
  assumed: optional(
    about('true: nobody said so, it was concluded from the manifest; the page marks its containers and asks.', flag),
  ),
});
/** The behaviour of an image's containers from now on. */
export const imageDoes: Shape<ActionOf<'imageDoes'>> = custom(imageDoesFields.schema, (r) => {
  const { present, assumed, doesIn: byContainer, ...rest } = imageDoesFields.read(r);
  if (rest.does === null && byContainer) throw r.at('doesIn').error('there is no such image', 'leave it out');
  return {
    verb: 'imageDoes',
    ...rest,
    ...(byContainer && { doesIn: byContainer }),
    ...(present && { present: true as const }),
    ...(assumed && { assumed: true as const }),
  };
});
