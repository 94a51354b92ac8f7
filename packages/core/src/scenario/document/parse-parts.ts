import { type PartSource, type PartSources, partNames } from '../../kubelet/parts/index.js';
import { about, flag, object, optional, type Shape, textOf } from '../../shape/index.js';

/** Longest code of one part, in UTF-16 units. */
const longest = 256 * 1024;

const part = object({
  file: optional(
    about(
      'The name that messages and records have for the code. Default: the name of the part, with .ts.',
      textOf(200),
    ),
  ),
  source: about('The code, in TypeScript: it declares the function that stands for the part.', textOf(longest)),
  lines: optional(
    about('Whether each statement that runs leaves a record, at which a debugger can stop. Default: false.', flag),
  ),
});

/** The code in place of parts of the kubelet. */
export const parts: Shape<PartSources> = (() => {
  const fields = object(Object.fromEntries(partNames.map((name) => [name, optional(part)])));
  return {
    ...fields,
    read(r) {
      const read = fields.read(r) as {
        readonly [name: string]: { file?: string; source: string; lines?: boolean } | undefined;
      };
      const named: { [name: string]: PartSource } = {};
      for (const [name, given] of Object.entries(read))
        if (given)
          named[name] = {
            file: given.file ?? `${name}.ts`,
            source: given.source,
            ...(given.lines && { lines: true }),
          };
      return named;
    },
  };
})();
