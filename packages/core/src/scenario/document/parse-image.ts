import { parseReference } from '../../mock/images/images.js';
import type { ImageSpecification, RegistryBehaviour } from '../../mock/index.js';
import { pullAnswers } from '../../mock/index.js';
import {
  about,
  custom,
  flag,
  list,
  literal,
  object,
  oneOf,
  optional,
  type Read,
  readFields,
  refine,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';

const programs: Shape<'busybox' | string[]> = custom({ anyOf: [{ const: 'busybox' }, texts.schema] }, (r) =>
  Array.isArray(r.value) ? texts.read(r) : literal('busybox').read(r),
);

/** What containerd could take for an image. */
const ref = refine(text, (value, r) => {
  if (value.length > 1000 || !parseReference(value))
    throw r.mustBe('a reference to an image, such as registry.example/app:1.0');
});

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

/** How a registry answers for one image; fields of an image only where it serves it. */
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
